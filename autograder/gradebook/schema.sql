CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- One row per name: what its results come to, and what its files show.
CREATE TABLE IF NOT EXISTS submissions (
    name TEXT PRIMARY KEY, status TEXT NOT NULL, earned REAL,
    graded_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, final REAL, shown TEXT NOT NULL DEFAULT '');

-- One row per grading that still counts: `head` is its result without the homeworks, whose ids are in
-- `found`; `asked` lists those that were asked for by name; `place` is the folder it was found in.
CREATE TABLE IF NOT EXISTS gradings (
    id INTEGER PRIMARY KEY, submission TEXT NOT NULL, place TEXT NOT NULL,
    content TEXT NOT NULL, graders TEXT NOT NULL, asked TEXT NOT NULL, status TEXT NOT NULL,
    found TEXT NOT NULL, head TEXT NOT NULL, submitted_at TEXT, run INTEGER,
    late TEXT NOT NULL DEFAULT '');

CREATE INDEX IF NOT EXISTS gradings_by_submission ON gradings (submission);

CREATE TABLE IF NOT EXISTS results (
    submission TEXT NOT NULL, homework TEXT NOT NULL, grading INTEGER NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (submission, homework));

CREATE INDEX IF NOT EXISTS results_by_grading ON results (grading);

-- What pages show of a submission beside its result, see verdict/work.py.
CREATE TABLE IF NOT EXISTS works (
    submission TEXT NOT NULL, homework TEXT NOT NULL, work BLOB NOT NULL,
    PRIMARY KEY (submission, homework));

-- The grades that later ones took the place of.
CREATE TABLE IF NOT EXISTS history (
    submission TEXT NOT NULL, homework TEXT NOT NULL, graded_at TEXT NOT NULL, status TEXT NOT NULL,
    earned REAL, points REAL NOT NULL, seed INTEGER NOT NULL, content TEXT NOT NULL,
    graders TEXT NOT NULL);

-- Which group a submission's wrong answers to a task belong to; a group stays when its members leave.
-- `middle` is the mean of the sketch, by which groups that may be the same are found.
CREATE TABLE IF NOT EXISTS behaviours (
    submission TEXT NOT NULL, homework TEXT NOT NULL, task TEXT NOT NULL, group_id TEXT NOT NULL,
    PRIMARY KEY (submission, homework, task));

CREATE TABLE IF NOT EXISTS behaviour_groups (
    id TEXT PRIMARY KEY, homework TEXT NOT NULL, task TEXT NOT NULL, form TEXT NOT NULL,
    sketch BLOB NOT NULL, middle REAL NOT NULL, made_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);

CREATE INDEX IF NOT EXISTS behaviour_groups_by_form ON behaviour_groups (homework, task, form, middle);

CREATE TABLE IF NOT EXISTS checks (
    submission TEXT NOT NULL, homework TEXT NOT NULL, task TEXT NOT NULL, check_name TEXT NOT NULL,
    outcome TEXT NOT NULL, earned REAL NOT NULL, max REAL NOT NULL, reason TEXT NOT NULL,
    misconceptions TEXT NOT NULL);

CREATE INDEX IF NOT EXISTS checks_by_submission ON checks (submission);

CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT, command TEXT NOT NULL,
    level TEXT NOT NULL, seed INTEGER NOT NULL, graders TEXT NOT NULL, jobs INTEGER NOT NULL,
    versions TEXT NOT NULL, outcomes TEXT NOT NULL DEFAULT '{}', entries INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0);

CREATE TABLE IF NOT EXISTS owners (
    submission TEXT PRIMARY KEY, student_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
    submitted_at TEXT, late INTEGER, attempt INTEGER, login TEXT NOT NULL DEFAULT '');

CREATE TABLE IF NOT EXISTS overrides (
    id INTEGER PRIMARY KEY AUTOINCREMENT, submission TEXT NOT NULL, homework TEXT NOT NULL,
    task TEXT NOT NULL, check_name TEXT NOT NULL, points REAL NOT NULL, reason TEXT NOT NULL,
    content TEXT NOT NULL, made_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (submission, homework, task, check_name));

CREATE TABLE IF NOT EXISTS marks (
    submission TEXT NOT NULL, homework TEXT NOT NULL, question TEXT NOT NULL, points REAL,
    max REAL NOT NULL, comment TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (submission, homework, question));

-- Submissions that count nowhere until they are brought back.
CREATE TABLE IF NOT EXISTS withdrawals (
    submission TEXT PRIMARY KEY, reason TEXT NOT NULL,
    made_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);

-- A comment on a group's answers, on a submission's in one homework or task, or on all of a submission.
CREATE TABLE IF NOT EXISTS comments (
    group_id TEXT NOT NULL, submission TEXT NOT NULL, homework TEXT NOT NULL, task TEXT NOT NULL,
    text TEXT NOT NULL, points REAL, PRIMARY KEY (group_id, submission, homework, task));

-- `content` is a fingerprint of the code that was graded when the time was given; blank where none was.
CREATE TABLE IF NOT EXISTS times (
    submission TEXT NOT NULL, homework TEXT NOT NULL, submitted_at TEXT NOT NULL,
    content TEXT NOT NULL DEFAULT '', PRIMARY KEY (submission, homework));

CREATE TABLE IF NOT EXISTS extensions (
    submission TEXT NOT NULL, homework TEXT NOT NULL, due TEXT NOT NULL,
    PRIMARY KEY (submission, homework));

CREATE TABLE IF NOT EXISTS spent_elsewhere (
    student TEXT NOT NULL, folder TEXT NOT NULL, days INTEGER NOT NULL, PRIMARY KEY (student, folder));

CREATE TABLE IF NOT EXISTS adjustments (
    submission TEXT NOT NULL, homework TEXT NOT NULL, raw REAL, final REAL, maximum REAL NOT NULL,
    submitted_at TEXT, due TEXT, days_late INTEGER NOT NULL, late_days_used INTEGER NOT NULL,
    penalty_percent REAL NOT NULL, penalty REAL NOT NULL, manual REAL NOT NULL, override REAL,
    awaiting TEXT NOT NULL, reasons TEXT NOT NULL, PRIMARY KEY (submission, homework));

CREATE VIEW IF NOT EXISTS grades AS
    SELECT s.name AS submission, o.student_id, o.name AS student, s.status, s.earned AS raw, s.final,
           o.email, o.submitted_at, o.late, o.attempt, s.graded_at
    FROM submissions AS s LEFT JOIN owners AS o ON o.submission = s.name;
