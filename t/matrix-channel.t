# agent-channel callers and services of each protocol: the service's request,
# and the sender's answer.  Invalid frames, and the errors for a caller.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

run_cases();
