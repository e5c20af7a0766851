"""Long proofs and measurements.

scripts/prove list                 all proofs, with their requirements and counts
scripts/prove NAME [N | --full]    one proof: the count of CI, N, or that of FULL; goes on where an earlier run stopped
scripts/prove all [--full]         all that are not complete for this commit
scripts/prove report               writes docs/evidence/proofs.md from what was shown so far
scripts/prove measure              start-to-ready and resident memory of the release build
scripts/prove tenant               time to make a test tenant, and to sign a user up in the same process
scripts/prove sdk                  the SDK's processor time for a sign-up, against the same requests by a bare URLSession
scripts/prove me                   GET /graph/v1.0/me beside userinfo, for a user with 10 attributes and 20 sessions (Linux)
scripts/prove accounts             each step, and each search, with a million accounts in the database, against a thousand; --postgres
scripts/prove graph-sdk            users and the audit trail by the vendor's own SDK for Python, 400 MB; only the base URL is ours
scripts/prove profile SCENARIO     where a load's processor time goes, and a flame graph with --graph FILE (Linux)
scripts/prove instructions SCENARIO  a journey's instructions by function, by valgrind: counts repeat, times do not (Linux)
scripts/prove soak --minutes 60    memory of the release build under an hour of mixed load

--binary PATH   a server that is built already, rather than the debug build of this tree
--seed S        the chances of an earlier run again
--again         forgets what was shown, failures too, and begins anew
--quick         a trial with short faults, of which nothing is kept
--only FAULT    a trial of one fault of database-faults, mail-faults or patroni

Each proof ends with one line: its name, its counts, and `passed` or `FAILED`. Exit code 1: something failed; 75: the time of one
run (50 minutes) was over, and the same command goes on.
"""

import atexit
import os
import sys
import traceback

import accounts
import flame
import instructions
import measurements
import prove
import soak

# In every case, no thread of an incomplete site keeps the process alive, and its children end.
code = 1
try:
    match sys.argv[1:]:
        case ["measure"]:
            code = measurements.measure()
        case ["tenant"]:
            code = measurements.tenant()
        case ["sdk", *rest]:
            code = measurements.sdk(rest)
        case ["me", *rest]:
            code = measurements.me(rest)
        case ["graph-sdk", *rest]:
            code = measurements.graph_sdk(rest)
        case ["profile", *rest]:
            code = flame.main(rest)
        case ["instructions", *rest]:
            code = instructions.main(rest)
        case ["accounts", *rest]:
            code = accounts.main(rest)
        case ["soak", *rest]:
            code = soak.main(rest)
        case [] | ["-h" | "--help" | "help"]:
            print(__doc__.strip())
            code = 0 if sys.argv[1:] else 64
        case arguments:
            code = prove.main(__doc__.strip(), arguments)
except KeyboardInterrupt:
    print("stopped; the same command goes on from the last whole part")
except SystemExit as end:
    code = end.code if isinstance(end.code, int) else 64
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
except Exception:
    traceback.print_exc()
finally:
    sys.stdout.flush()
    atexit._run_exitfuncs()
    os._exit(code)
