# C2A callers and services of each protocol: the service's request, and the
# caller's answer.  Invalid messages, and the results of events.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

run_cases();
