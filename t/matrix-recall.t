# Reactions, answers, cancellations and progress that come later: they refer to
# an earlier message, and only to that one.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

run_cases();
