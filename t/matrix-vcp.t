# VCP callers and services of C2A, agent-channel and AEE: the service's
# request, and the caller's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

run_cases();
