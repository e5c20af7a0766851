/// One change of the tables, for both databases: the same name, and the same text except for the words below and for
/// ``postgresOnly`` (`REL-TX-5`).
///
/// A released migration is never edited; a change is a new migration at the end.
///
/// Conventions: every key starts with the tenant; identifiers are the 16 bytes of a UUID; times are milliseconds since
/// 1970; digests and sealed values are bytes. SQLite stores tables of short rows only in their key's tree (`WITHOUT
/// ROWID`). Foreign keys are checked immediately, because a violation at commit would fail the other callers of a
/// batch.
package struct Migration: Sendable {
    package let name: String
    /// The statements in SQLite's syntax.
    package let sqlite: String
    /// Further statements for PostgreSQL.
    private var postgresOnly = ""

    /// All migrations, in order.
    package static let all = [
        Migration(name: "0001 sign-up", sqlite: signUp),
        Migration(name: "0002 sign-in", sqlite: signIn),
        Migration(name: "0003 key rotation", sqlite: keyRotation),
        Migration(name: "0004 restores", sqlite: restores),
        Migration(name: "0005 audit chain", sqlite: auditChain),
        Migration(name: "0006 tenant documents", sqlite: tenantDocuments),
        Migration(name: "0007 mails of a tenant", sqlite: tenantMails),
        Migration(name: "0008 lanes and owners", sqlite: lanesAndOwners),
        Migration(name: "0009 data keys", sqlite: dataKeys),
        Migration(name: "0010 audit retention", sqlite: auditRetention),
        Migration(name: "0011 mails by due", sqlite: mailsByDue),
        Migration(name: "0012 enrolment", sqlite: enrolment),
        Migration(name: "0013 profile mark", sqlite: profileMark),
        Migration(name: "0014 guesses under way", sqlite: guessesUnderWay),
        Migration(name: "0015 accounts", sqlite: accounts),
        Migration(name: "0016 tokens of a version", sqlite: tokensOfAVersion),
        Migration(name: "0017 daemons", sqlite: daemons),
        Migration(name: "0018 directory", sqlite: directory),
        Migration(name: "0019 notifications", sqlite: notifications),
        Migration(name: "0020 operators", sqlite: operators),
        Migration(name: "0021 groups", sqlite: groups),
        Migration(name: "0022 imports", sqlite: imports),
        auditPartitions,
        Migration(name: "0024 positions", sqlite: positions),
        Migration(name: "0025 browsers", sqlite: browsers),
        Migration(name: "0026 logouts", sqlite: logouts),
        Migration(name: "0027 devices", sqlite: devices),
        Migration(name: "0028 keys of applications", sqlite: keysOfApplications),
        Migration(name: "0029 consents", sqlite: consents),
        Migration(name: "0030 kinds of methods", sqlite: kindsOfMethods),
        Migration(name: "0031 authenticator apps", sqlite: authenticatorApps),
        Migration(name: "0032 recovery codes", sqlite: recoveryCodes),
        Migration(name: "0033 sessions of tickets", sqlite: sessionsOfTickets),
        Migration(name: "0034 texts", sqlite: texts),
        Migration(name: "0035 passkeys", sqlite: passkeys),
        Migration(name: "0036 identities", sqlite: identities),
        Migration(name: "0037 levels of sessions", sqlite: levelsOfSessions),
        Migration(name: "0038 revocations", sqlite: revocations),
        Migration(name: "0039 names of identities", sqlite: namesOfIdentities),
        Migration(name: "0040 remembered devices", sqlite: rememberedDevices),
        Migration(name: "0041 numbers that sign in", sqlite: numbersThatSignIn),
        Migration(name: "0042 two operators", sqlite: twoOperators),
        Migration(name: "0043 indexes of mails", sqlite: "", postgresOnly: indexesOfMails),
    ]

    /// On PostgreSQL, where the store executes it and not statements of this file, an empty audit trail is divided into
    /// partitions; one with lines is divided later, beside requests. The name keeps out programs that take a partition
    /// for a table of another program.
    ///
    /// Later changes of `audit` are statements about the whole; an index is one of all partitions.
    package static let auditPartitions = Migration(name: "0023 audit partitions", sqlite: "")

    /// The statements in PostgreSQL's syntax. Keys without the tenant are removed, because a cluster that shards by
    /// tenant could not keep them.
    package var postgres: String {
        let words = [
            (
                "seq INTEGER PRIMARY KEY AUTOINCREMENT",
                "seq BIGINT GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (tenant, seq)"
            ),
            ("id BLOB NOT NULL UNIQUE", "id BYTEA NOT NULL"),
            ("lower(value)", #"lower(value COLLATE "C")"#), (" BLOB", " BYTEA"), (" INTEGER", " BIGINT"),
            (") STRICT, WITHOUT ROWID;", ");"), (") STRICT;", ");"),
            ("random() & 9223372036854775807", "(random() * 9.2e18)::bigint"),
        ]
        return words.reduce(sqlite) { $0.replacing($1.0, with: $1.1) } + postgresOnly
    }

    /// What a method is. Existing ones are mailboxes. A method of another kind has an empty address, and its id as the key.
    private static let kindsOfMethods = "ALTER TABLE strong_methods ADD COLUMN kind TEXT NOT NULL DEFAULT 'mailbox';"

    /// The sealed secret of an authenticator app, and what is known of its clock; NULL for other methods.
    private static let authenticatorApps = """
        ALTER TABLE strong_methods ADD COLUMN secret BLOB;
        ALTER TABLE strong_methods ADD COLUMN spent_step INTEGER;
        ALTER TABLE strong_methods ADD COLUMN drift INTEGER;
        ALTER TABLE strong_methods ADD COLUMN last_offset INTEGER;
        """

    /// The id of a passkey, which one user of a tenant has, and what else is kept of it; NULL for other methods.
    private static let passkeys = """
        ALTER TABLE strong_methods ADD COLUMN credential BLOB;
        ALTER TABLE strong_methods ADD COLUMN passkey BLOB;
        CREATE UNIQUE INDEX strong_methods_by_credential ON strong_methods (tenant, credential)
            WHERE credential IS NOT NULL;
        """

    /// An account at a provider, whose key is in the column of the ids of passkeys; NULL for other methods. One user has a value
    /// of a kind: a user chooses the id of a passkey.
    private static let identities = """
        ALTER TABLE strong_methods ADD COLUMN identity BLOB;
        DROP INDEX strong_methods_by_credential;
        CREATE UNIQUE INDEX strong_methods_by_credential ON strong_methods (tenant, kind, credential)
            WHERE credential IS NOT NULL;
        """

    /// The hashes of the user's recovery codes with their names, in one value: a sign-in reads the user's row in any case. NULL:
    /// none were made.
    private static let recoveryCodes = "ALTER TABLE users ADD COLUMN recovery BLOB;"

    /// The session of the app whose ticket a session comes from; NULL for others.
    private static let sessionsOfTickets = "ALTER TABLE refresh_families ADD COLUMN parent BLOB;"

    /// The devices on which a second factor is left out, and the one that replaced it at the sign-in of a session; NULL for others.
    private static let rememberedDevices = """
        CREATE TABLE remembered_devices (
            tenant BLOB NOT NULL,
            "user" BLOB NOT NULL,
            id BLOB NOT NULL,
            client BLOB NOT NULL,
            mark BLOB NOT NULL,
            level TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            until INTEGER NOT NULL,
            used_at INTEGER,
            model TEXT,
            system TEXT,
            network TEXT,
            credential_version INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user", id),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX remembered_devices_by_time ON remembered_devices (until);
        ALTER TABLE refresh_families ADD COLUMN remembered BLOB;
        """

    /// What users allowed at providers, to be ended there, with the key of the identity. The rows outlive the user.
    private static let revocations = """
        CREATE TABLE revocations (
            tenant BLOB NOT NULL,
            method BLOB NOT NULL,
            "user" BLOB NOT NULL,
            credential BLOB NOT NULL,
            content BLOB NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, method)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX revocations_by_due ON revocations (due_at);
        CREATE INDEX revocations_by_credential ON revocations (tenant, credential);
        """

    /// What providers say of a user once, sealed, until the user has an account.
    private static let namesOfIdentities = """
        CREATE TABLE identity_names (
            tenant BLOB NOT NULL,
            credential BLOB NOT NULL,
            content BLOB NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, credential)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX identity_names_by_until ON identity_names (until);
        """

    /// What the proofs of the sign-in are worth, by its name in design record 0039; NULL for older rows.
    private static let levelsOfSessions = "ALTER TABLE refresh_families ADD COLUMN level TEXT;"

    /// Finds the account of a telephone; and the texts of sign-ins with a number. An older version counts those as second factors.
    private static let numbersThatSignIn = """
        ALTER TABLE texts ADD COLUMN signs_in INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX strong_methods_by_phone ON strong_methods (tenant, key) WHERE kind = 'phone';
        """

    /// The text messages of a week, with keyed digests of what they are counted by, and whether the gateway took them; what those of
    /// a day cost, in millionths, and how many registrations were answered; and what rests from them.
    private static let texts = """
        CREATE TABLE texts (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            flow BLOB NOT NULL,
            number BLOB NOT NULL,
            neighbourhood BLOB NOT NULL,
            area TEXT NOT NULL,
            account BLOB NOT NULL,
            source BLOB,
            registers INTEGER NOT NULL,
            cost INTEGER NOT NULL,
            sent_at INTEGER NOT NULL,
            outcome TEXT,
            verified_at INTEGER,
            report TEXT,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX texts_by_flow ON texts (tenant, flow);
        CREATE INDEX texts_by_number ON texts (tenant, number, sent_at);
        CREATE INDEX texts_by_neighbourhood ON texts (tenant, neighbourhood, sent_at);
        CREATE INDEX texts_by_account ON texts (tenant, account, sent_at);
        CREATE INDEX texts_by_source ON texts (tenant, source, sent_at);
        CREATE INDEX texts_by_area ON texts (tenant, area, sent_at);
        CREATE INDEX texts_by_tenant ON texts (tenant, sent_at);
        CREATE INDEX texts_by_time ON texts (sent_at);
        CREATE TABLE text_days (
            tenant BLOB NOT NULL,
            day INTEGER NOT NULL,
            area TEXT NOT NULL,
            cost INTEGER NOT NULL,
            answered INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, day, area)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE text_pauses (
            tenant BLOB NOT NULL,
            area TEXT NOT NULL,
            until INTEGER NOT NULL,
            minutes INTEGER NOT NULL,
            PRIMARY KEY (tenant, area)
        ) STRICT, WITHOUT ROWID;
        """

    /// A place for each user that does not depend on the id, and an index by it of the users with a password
    /// (`SEC-PWD-11`).
    private static let positions = """
        ALTER TABLE users ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
        UPDATE users SET position = random() & 9223372036854775807;
        CREATE INDEX users_by_position ON users (tenant, position) WHERE password_hash IS NOT NULL;
        """

    /// What users allowed applications of other organisations.
    private static let consents = """
        CREATE TABLE consents (
            tenant BLOB NOT NULL,
            "user" BLOB NOT NULL,
            client BLOB NOT NULL,
            scopes TEXT NOT NULL,
            given_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user", client),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        """

    /// Users who are signed in in a browser, and the authorization codes that were presented.
    private static let browsers = """
        CREATE TABLE browser_sessions (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            digest BLOB NOT NULL,
            "user" BLOB NOT NULL,
            proofs BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            is_kept INTEGER NOT NULL,
            has_two_factors INTEGER NOT NULL,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX browser_sessions_by_digest ON browser_sessions (tenant, digest);
        CREATE INDEX browser_sessions_by_user ON browser_sessions (tenant, "user");
        CREATE INDEX browser_sessions_by_use ON browser_sessions (is_kept, seen_at);

        CREATE TABLE presented_codes (
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL,
            failures INTEGER NOT NULL,
            redeemed_at INTEGER,
            family BLOB,
            request_digest BLOB,
            sealed_answer BLOB,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, digest)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX presented_codes_by_end ON presented_codes (until);

        ALTER TABLE refresh_families ADD COLUMN browser_session BLOB;
        CREATE INDEX refresh_families_by_browser ON refresh_families (tenant, browser_session)
            WHERE browser_session IS NOT NULL;
        """

    /// The applications that are to be told that a browser session has ended (`OIDC-25`). A row outlives its session and its
    /// user.
    private static let logouts = """
        CREATE TABLE logouts (
            tenant BLOB NOT NULL,
            browser_session BLOB NOT NULL,
            client BLOB NOT NULL,
            "user" BLOB NOT NULL,
            ended_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, browser_session, client)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX logouts_by_due ON logouts (due_at);
        """

    /// The key that the refresh tokens of a public application are bound to (`SEC-OAUTH-9`).
    private static let keysOfApplications = """
        ALTER TABLE refresh_families ADD COLUMN key_thumbprint TEXT;
        """

    /// Devices that wait for a user, and authorization requests that applications pushed.
    private static let devices = """
        CREATE TABLE devices (
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL,
            user_code BLOB NOT NULL,
            client BLOB NOT NULL,
            session BLOB,
            state BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, digest)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX devices_by_user_code ON devices (tenant, user_code);
        CREATE INDEX devices_by_tenant ON devices (tenant, until);
        CREATE INDEX devices_by_end ON devices (until);

        CREATE TABLE pushed_requests (
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL,
            client BLOB NOT NULL,
            content BLOB NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, digest)
        ) STRICT;
        CREATE INDEX pushed_requests_by_client ON pushed_requests (tenant, client, until);
        CREATE INDEX pushed_requests_by_end ON pushed_requests (until);
        """

    private static let signUp = """
        CREATE TABLE users (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            client BLOB NOT NULL,
            password_hash TEXT,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE identifiers (
            tenant BLOB NOT NULL,
            key BLOB NOT NULL,
            kind TEXT NOT NULL,
            display TEXT NOT NULL,
            "user" BLOB NOT NULL,
            proven_at INTEGER,
            proof TEXT,
            PRIMARY KEY (tenant, key),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX identifiers_by_user ON identifiers (tenant, "user");

        CREATE TABLE attributes (
            tenant BLOB NOT NULL,
            "user" BLOB NOT NULL,
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (tenant, "user", name),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE flows (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            revision INTEGER NOT NULL,
            code_digest BLOB,
            code_attempts INTEGER,
            code_sent_at INTEGER,
            code_expires_at INTEGER,
            codes_sent INTEGER NOT NULL,
            misuses INTEGER NOT NULL,
            is_ended INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX flows_by_expiry ON flows (expires_at);

        CREATE TABLE replays (
            tenant BLOB NOT NULL,
            flow BLOB NOT NULL,
            request_digest BLOB NOT NULL,
            sealed_answer BLOB NOT NULL,
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, flow, request_digest),
            FOREIGN KEY (tenant, flow) REFERENCES flows (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX replays_by_expiry ON replays (expires_at);

        CREATE TABLE outbox (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL UNIQUE,
            flow BLOB,
            state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'expired', 'failed')),
            sealed_content BLOB,
            attempts INTEGER NOT NULL DEFAULT 0,
            due_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            finished_at INTEGER,
            PRIMARY KEY (tenant, id)
        ) STRICT;
        CREATE INDEX outbox_by_due ON outbox (due_at) WHERE state = 'pending';
        CREATE INDEX outbox_by_expiry ON outbox (expires_at) WHERE state = 'pending';
        CREATE INDEX outbox_by_finish ON outbox (finished_at) WHERE finished_at IS NOT NULL;

        CREATE TABLE refresh_families (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            client BLOB NOT NULL,
            "user" BLOB NOT NULL,
            scopes TEXT NOT NULL,
            methods TEXT NOT NULL,
            authenticated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            token_digest BLOB NOT NULL,
            previous_digest BLOB,
            previous_rotated_at INTEGER,
            previous_answer BLOB,
            revoked_at INTEGER,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX refresh_families_by_user ON refresh_families (tenant, "user");
        CREATE INDEX refresh_families_by_expiry ON refresh_families (expires_at);

        CREATE TABLE signing_keys (
            tenant BLOB NOT NULL,
            kid TEXT NOT NULL,
            algorithm TEXT NOT NULL,
            sealed_private_key BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, kid)
        ) STRICT;

        CREATE TABLE audit (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant BLOB NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            client BLOB,
            flow BLOB,
            "user" BLOB,
            detail TEXT
        ) STRICT;
        CREATE INDEX audit_by_tenant ON audit (tenant, seq);

        CREATE TABLE counted_events (
            tenant BLOB NOT NULL,
            subject BLOB NOT NULL,
            event TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX counted_events_by_subject ON counted_events (tenant, subject, event, at);
        CREATE INDEX counted_events_by_time ON counted_events (at);

        CREATE TABLE write_probe (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            count INTEGER NOT NULL
        ) STRICT;
        INSERT INTO write_probe VALUES (1, 0);
        """

    /// Existing rows stay: an account counts as unchanged since its creation, and a code that was sent before its
    /// target was stored gets an empty target, which equals no digest.
    private static let signIn = """
        ALTER TABLE flows ADD COLUMN code_target BLOB;
        UPDATE flows SET code_target = CAST('' AS BLOB) WHERE code_digest IS NOT NULL;

        ALTER TABLE users ADD COLUMN credential_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE users ADD COLUMN credentials_changed_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE users ADD COLUMN disabled_at INTEGER;
        UPDATE users SET credentials_changed_at = created_at;

        ALTER TABLE refresh_families ADD COLUMN contexts TEXT NOT NULL DEFAULT '[]';

        CREATE TABLE strong_methods (
            tenant BLOB NOT NULL,
            "user" BLOB NOT NULL,
            id BLOB NOT NULL,
            email TEXT NOT NULL,
            key BLOB NOT NULL,
            proven_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user", id),
            UNIQUE (tenant, "user", key),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE lockouts (
            tenant BLOB NOT NULL,
            subject BLOB NOT NULL,
            failures INTEGER NOT NULL,
            locked_until INTEGER,
            recent BLOB NOT NULL,
            last_failure_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lockouts_by_time ON lockouts (last_failure_at);

        CREATE TABLE known_networks (
            tenant BLOB NOT NULL,
            "user" BLOB NOT NULL,
            network BLOB NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user", network),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX known_networks_by_time ON known_networks (last_at);
        """

    /// Existing keys signed from their creation on.
    private static let keyRotation = """
        ALTER TABLE signing_keys ADD COLUMN active_from INTEGER NOT NULL DEFAULT 0;
        UPDATE signing_keys SET active_from = created_at;
        """

    /// Existing lines are sealed when the server starts, in the order in which they were written.
    private static let auditChain = """
        ALTER TABLE audit ADD COLUMN position INTEGER;
        ALTER TABLE audit ADD COLUMN seal BLOB;
        CREATE UNIQUE INDEX audit_by_position ON audit (tenant, position);
        CREATE INDEX audit_unsealed ON audit (tenant, seq) WHERE position IS NULL;

        CREATE TABLE audit_heads (
            tenant BLOB NOT NULL,
            position INTEGER NOT NULL,
            seal BLOB NOT NULL,
            anchor BLOB NOT NULL,
            PRIMARY KEY (tenant)
        ) STRICT, WITHOUT ROWID;
        """

    /// Each version of the tenants' configuration; all servers use the last one.
    private static let tenantDocuments = """
        CREATE TABLE tenant_documents (
            version INTEGER NOT NULL,
            document TEXT NOT NULL,
            applied_at INTEGER NOT NULL,
            PRIMARY KEY (version)
        ) STRICT;
        """

    /// A row in a database that was restored from a backup: `id` distinguishes values sealed before the restore from
    /// later ones.
    private static let restores = """
        CREATE TABLE restores (
            id BLOB NOT NULL,
            backup_made_at INTEGER NOT NULL,
            restored_at INTEGER NOT NULL
        ) STRICT;
        """

    /// Existing mails and flows have none, and expire within the hour.
    private static let lanesAndOwners = """
        ALTER TABLE outbox ADD COLUMN lane BLOB;

        ALTER TABLE flows ADD COLUMN identifier BLOB;
        ALTER TABLE flows ADD COLUMN source BLOB;
        CREATE INDEX flows_by_identifier ON flows (tenant, identifier) WHERE identifier IS NOT NULL;
        CREATE INDEX flows_by_source ON flows (tenant, source) WHERE source IS NOT NULL;
        """

    /// The sealed data keys, in a row for each master key that opens them. A server or command writes the first row,
    /// because it has the master key.
    private static let dataKeys = """
        CREATE TABLE data_keys (
            generation INTEGER NOT NULL,
            master_key BLOB NOT NULL,
            sealed_key BLOB NOT NULL,
            active_from INTEGER NOT NULL,
            PRIMARY KEY (generation, master_key)
        ) STRICT, WITHOUT ROWID;
        """

    /// The start of each chain after its first lines were removed: the position and the seal of the last removed line.
    private static let auditRetention = """
        ALTER TABLE audit_heads ADD COLUMN start_position INTEGER;
        ALTER TABLE audit_heads ADD COLUMN start_seal BLOB;
        ALTER TABLE audit_heads ADD COLUMN start_anchor BLOB;
        """

    private static let tenantMails = "CREATE INDEX outbox_by_tenant ON outbox (tenant, created_at);"

    /// The index includes the lane, so that lanes without capacity are skipped without being read.
    private static let mailsByDue = """
        DROP INDEX outbox_by_due;
        CREATE INDEX outbox_by_due ON outbox (due_at, lane) WHERE state = 'pending';
        """

    /// A table that is usually short often has no statistics. PostgreSQL then estimates that each index that fits is equally
    /// good, and takes the newest: to find one mail by its key it read all mails of the tenant, or all that wait. It can use
    /// these indexes only for a statement that names their time.
    private static let indexesOfMails = """
        DROP INDEX outbox_by_tenant;
        CREATE INDEX outbox_by_tenant ON outbox (tenant, created_at) WHERE created_at IS NOT NULL;
        DROP INDEX outbox_by_due;
        CREATE INDEX outbox_by_due ON outbox (due_at, lane) WHERE state = 'pending' AND due_at IS NOT NULL;
        DROP INDEX outbox_by_expiry;
        CREATE INDEX outbox_by_expiry ON outbox (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
        """

    /// The proofs at each method's enrolment, and the source of each audit line. For existing methods the proofs are
    /// unknown; existing passwords count as chosen by a user who knew the previous one.
    private static let enrolment = """
        ALTER TABLE strong_methods ADD COLUMN enrolled_under TEXT NOT NULL DEFAULT 'unknown';
        ALTER TABLE strong_methods ADD COLUMN authenticated_at INTEGER;
        ALTER TABLE strong_methods ADD COLUMN client BLOB;
        ALTER TABLE strong_methods ADD COLUMN is_familiar INTEGER;
        ALTER TABLE strong_methods ADD COLUMN suspended_at INTEGER;
        ALTER TABLE strong_methods ADD COLUMN first_used_at INTEGER;
        CREATE INDEX strong_methods_by_suspension ON strong_methods (suspended_at) WHERE suspended_at IS NOT NULL;

        ALTER TABLE users ADD COLUMN password_from_reset INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE users ADD COLUMN requires_second_factor INTEGER NOT NULL DEFAULT 0;

        ALTER TABLE audit ADD COLUMN source BLOB;
        ALTER TABLE audit ADD COLUMN profile TEXT;
        """

    /// The profile of the servers that the database belongs to: one row, written by the first server. An existing
    /// database has none until then.
    private static let profileMark = """
        CREATE TABLE profile_mark (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            profile TEXT NOT NULL,
            marked_at INTEGER NOT NULL
        ) STRICT;
        """

    /// It is unknown which of the existing digests were right, so none stays.
    private static let guessesUnderWay = """
        ALTER TABLE lockouts ADD COLUMN under_way BLOB;
        ALTER TABLE lockouts ADD COLUMN under_way_until INTEGER;
        CREATE INDEX lockouts_under_way ON lockouts (under_way_until) WHERE under_way_until IS NOT NULL;
        UPDATE lockouts SET recent = substr(recent, 1, 0);
        """

    /// The version of the credentials from which access tokens are live. Older tokens have no version, and are judged by
    /// their time.
    private static let tokensOfAVersion =
        "ALTER TABLE users ADD COLUMN tokens_from_version INTEGER NOT NULL DEFAULT 0;"

    /// What a user sees and changes of the own account. Existing sessions have no device and no network, existing mails no
    /// user. A name at rest and a deleted user are keyed digests.
    private static let accounts = """
        ALTER TABLE users ADD COLUMN deletion_due_at INTEGER;
        CREATE INDEX users_by_deletion ON users (deletion_due_at) WHERE deletion_due_at IS NOT NULL;

        ALTER TABLE refresh_families ADD COLUMN kept_at INTEGER;
        ALTER TABLE refresh_families ADD COLUMN model TEXT;
        ALTER TABLE refresh_families ADD COLUMN system TEXT;
        ALTER TABLE refresh_families ADD COLUMN network TEXT;

        ALTER TABLE strong_methods ADD COLUMN last_used_at INTEGER;
        ALTER TABLE strong_methods ADD COLUMN name TEXT;

        ALTER TABLE outbox ADD COLUMN "user" BLOB;
        CREATE INDEX outbox_by_user ON outbox (tenant, "user") WHERE "user" IS NOT NULL;

        CREATE INDEX audit_by_user ON audit (tenant, "user", seq) WHERE "user" IS NOT NULL;

        CREATE TABLE held_names (
            tenant BLOB NOT NULL,
            mark BLOB NOT NULL,
            "user" BLOB,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, mark)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX held_names_by_end ON held_names (until);

        CREATE TABLE email_undos (
            tenant BLOB NOT NULL,
            code_digest BLOB NOT NULL,
            "user" BLOB NOT NULL,
            email TEXT NOT NULL,
            changed_at INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, code_digest),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX email_undos_by_user ON email_undos (tenant, "user");
        CREATE INDEX email_undos_by_end ON email_undos (until);

        CREATE TABLE deletions (
            tenant BLOB NOT NULL,
            mark BLOB NOT NULL,
            deleted_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, mark)
        ) STRICT, WITHOUT ROWID;
        """

    /// The assertions that daemons have used, as keyed digests, until they end.
    private static let daemons = """
        CREATE TABLE used_assertions (
            tenant BLOB NOT NULL,
            mark BLOB NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (tenant, mark)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_assertions_by_end ON used_assertions (until);
        """

    /// What an operator searches users by, and users that were deleted and can be restored. The condition of each index
    /// is the one that `UserPlan` writes. The index of audit lines by user has the sealed ones only: the sealer writes it,
    /// and not the transaction of a sign-in.
    private static let directory = """
        ALTER TABLE users ADD COLUMN deleted_at INTEGER;
        CREATE INDEX users_deleted ON users (tenant, id) WHERE deleted_at IS NOT NULL;
        CREATE INDEX users_disabled ON users (tenant, id) WHERE disabled_at IS NOT NULL;
        CREATE INDEX users_by_creation ON users (tenant, created_at, id);
        CREATE INDEX attributes_by_value ON attributes (tenant, name, substr(lower(value), 1, 128), "user");

        DROP INDEX audit_by_user;
        CREATE INDEX audit_by_user ON audit (tenant, "user", seq) WHERE position IS NOT NULL AND "user" IS NOT NULL;
        """

    /// How far each subscriber was told of the audit trail, and the lease of the node that tells it.
    private static let notifications = """
        CREATE TABLE notifications (
            tenant BLOB NOT NULL,
            subscriber BLOB NOT NULL,
            position INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            lease INTEGER NOT NULL,
            PRIMARY KEY (tenant, subscriber)
        ) STRICT, WITHOUT ROWID;
        """

    /// Who operates the server, with the digests of their invitations and sessions; and how much happened in each minute of
    /// the last hours and in each hour of the last weeks, for the console.
    private static let operators = """
        CREATE TABLE operators (
            tenant BLOB NOT NULL,
            "user" BLOB NOT NULL,
            role TEXT NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE operator_invitations (
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL,
            role TEXT NOT NULL,
            until INTEGER NOT NULL,
            inviter BLOB,
            attempts INTEGER NOT NULL,
            PRIMARY KEY (tenant, digest),
            FOREIGN KEY (tenant, inviter) REFERENCES operators (tenant, "user") ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE operator_sessions (
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL,
            "user" BLOB NOT NULL,
            credential_version INTEGER NOT NULL,
            proven_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, digest),
            FOREIGN KEY (tenant, "user") REFERENCES operators (tenant, "user") ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operator_sessions_by_user ON operator_sessions (tenant, "user");

        CREATE TABLE activity (
            tenant BLOB NOT NULL,
            resolution INTEGER NOT NULL,
            start INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (tenant, resolution, start, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_by_start ON activity (resolution, start);
        """

    private static let groups = """
        CREATE TABLE user_groups (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            display_name TEXT NOT NULL,
            description TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE group_members (
            tenant BLOB NOT NULL,
            group_id BLOB NOT NULL,
            "user" BLOB NOT NULL,
            PRIMARY KEY (tenant, group_id, "user"),
            FOREIGN KEY (tenant, group_id) REFERENCES user_groups (tenant, id) ON DELETE CASCADE,
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_members_by_user ON group_members (tenant, "user");
        """

    /// The deeds that wait for operators, and whether such deeds need two. A rule's row is there once it was set.
    private static let twoOperators = """
        CREATE TABLE operator_requests (
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            "user" BLOB NOT NULL,
            deed TEXT NOT NULL,
            subject TEXT,
            requester BLOB,
            person BLOB,
            requested_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES users (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operator_requests_by_user ON operator_requests (tenant, "user");
        CREATE INDEX operator_requests_by_end ON operator_requests (expires_at);

        CREATE TABLE operator_rules (
            tenant BLOB NOT NULL,
            needs_two INTEGER NOT NULL,
            PRIMARY KEY (tenant)
        ) STRICT, WITHOUT ROWID;
        """

    /// How far each import that has begun is: the digest names the file with the options.
    private static let imports = """
        CREATE TABLE imports (
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL,
            records INTEGER NOT NULL,
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            skipped INTEGER NOT NULL,
            refused INTEGER NOT NULL,
            begun_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, digest)
        ) STRICT, WITHOUT ROWID;
        """
}
