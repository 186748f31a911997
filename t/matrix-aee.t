# AEE callers and services of each protocol: the service's request, and the
# caller's answer.  Caps hold for a message that another protocol carries.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

run_cases();
