# VCP 2.0 callers and services of each protocol, and callers of each protocol
# and a service of VCP 2.0: the service's request, and the caller's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

run_cases();
