# The module loads, and does nothing where it is not switched on.

use lib 't/lib';
use Parley::Test;

plan tests => 3;

run_tests();

__DATA__

=== TEST 1: a location without Parley is served as ever
--- config
    location /plain {
        return 200 "untouched\n";
    }
--- request
GET /plain
--- response_body
untouched
--- no_error_log
[error]
