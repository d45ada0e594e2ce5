"""`memoray doctor`: looks for the usual causes of trouble, one line each, with what to do."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Annotated, Any, Literal

import typer

from adapters.model_files import trusted_of
from adapters.postgres.account import SERVICE, lent_account
from adapters.postgres.binaries import find_binaries
from cli.accounts import MAKE, account_of
from cli.console import Exit, HomeOption, JsonOption, counted, err, out, places_of, print_json
from cli.leftovers import leftovers
from cli.ports import free_port
from cli.ray_head import serve_config
from cli.runtime import Places, read_runtime, supervised
from config.settings import Settings, load
from memory.errors import DomainError, Invalid

LEAST_FREE_BYTES = 2_000_000_000
"""Below this a backup before an upgrade may not fit."""
LEAST_MEMORY_BYTES = 3_000_000_000
"""2.2 GB at rest and room for a night."""

PACKAGES = (
    "ray",
    "fastapi",
    "psycopg",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "spacy",
    "snowballstemmer",
    "watchdog",
    "scipy",
    "graspologic_native",
)

Level = Literal["ok", "warn", "fail"]
COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look found: a level, the facts, and for trouble what to do."""

    level: Level
    facts: str
    hint: str = ""


def doctor(
    only: Annotated[
        str | None,
        typer.Argument(metavar="[CHECK]", help="One check alone; gpu also tests what runs on it."),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check this machine and this installation. Exit code 1 if something must be mended.

    Example: memoray doctor
    """
    checks = _chosen(only)
    places = places_of(home)
    settings = load(places.home)
    found: dict[str, Finding] = {}
    for name, check in checks:
        with err.status(name):
            finding = found[name] = _look(check, settings)
        if not as_json:
            out.print(f"[{COLOURS[finding.level]}]{finding.level:<4}[/] {name:<9} ", end="")
            out.print(finding.facts + (f" - {finding.hint}" if finding.hint else ""), markup=False)
    if as_json:
        print_json({name: asdict(finding) for name, finding in found.items()})
    if any(finding.level == "fail" for finding in found.values()):
        raise typer.Exit(Exit.FAILED)


def _chosen(only: str | None) -> tuple[tuple[str, Callable[[Settings], Finding]], ...]:
    if only is None:
        return CHECKS
    if only not in dict(CHECKS):
        raise Invalid(f"There is no check of that name; there are {', '.join(dict(CHECKS))}.")
    return (*((name, check) for name, check in CHECKS if name == only), *CLOSER.get(only, ()))


def _look(check: Callable[[Settings], Finding], settings: Settings) -> Finding:
    try:
        return check(settings)
    except DomainError as error:
        return Finding("fail", error.detail)


def _python(settings: Settings) -> Finding:
    words = ".".join(map(str, sys.version_info[:3]))
    if not (3, 11) <= sys.version_info[:2] < (3, 14):
        return Finding("fail", words, "use Python 3.11, 3.12 or 3.13")
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return Finding("warn", f"{words}, PYTHONDONTWRITEBYTECODE is set", "unset it: every start compiles all modules")
    return Finding("ok", words)


def _disk(settings: Settings) -> Finding:
    place = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    facts = f"{free / 1e9:.1f} GB free at {settings.home}"
    return Finding("ok", facts) if free >= LEAST_FREE_BYTES else Finding("warn", facts, "make room: 2 GB are wise")


def _memory(settings: Settings) -> Finding:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    facts = f"{total / 1e9:.1f} GB of memory, {os.cpu_count()} cores"
    return Finding("ok", facts) if total >= LEAST_MEMORY_BYTES else Finding("warn", facts, "2.2 GB are used at rest")


def _ports(settings: Settings) -> Finding:
    if supervised(Places(settings.home)):
        return Finding("ok", "in use by this Memoray")
    busy = [port for port in (settings.http.port, 8265, 6379) if free_port(port) != port]
    if not busy:
        return Finding("ok", "the usual ones are free")
    return Finding("warn", f"in use by somebody else: {busy}", "others will be taken; `memoray status` says which")


def _postgres(settings: Settings) -> Finding:
    if settings.dsn:
        return _rights(settings, "an external server (MEMORAY_DSN)")
    binaries = find_binaries(os.environ)
    version = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=False)
    if version.returncode != 0:
        return Finding("fail", f"{binaries} does not run", "set MEMORAY_PG_BIN to a PostgreSQL of this machine")
    return _rights(settings, f"{version.stdout.strip()} in {binaries}")


def _rights(settings: Settings, facts: str) -> Finding:
    """What the role may do that the product connects as, if it runs."""
    places = Places(settings.home)
    runtime = read_runtime(places)
    if runtime is None or not supervised(places):
        return Finding("ok", facts)
    import psycopg

    from adapters.postgres.roles import beyond

    try:
        role, rights = beyond(runtime.dsn)
    except psycopg.Error:
        return Finding("fail", f"{facts}; it does not answer", "look into `memoray logs postgres`")
    if rights:
        facts = f"{facts}, as {role}, which is more than it needs: {', '.join(rights)}"
        return Finding("warn", facts, f"{runtime.owner_serves}; see docs/howto/operate.md")
    return Finding("ok", f"{facts}, as {role}, which reads and writes rows and nothing else")


def _account(settings: Settings) -> Finding:
    account = None if settings.dsn else lent_account(settings.home)
    if account is None:
        return Finding("ok", f"everything runs as {account_of(os.getpid())}")
    if not account.shared:
        return Finding("ok", f"PostgreSQL runs as {account.name}, everything else as root")
    facts = f"PostgreSQL runs as {account.name}, as other programs may, which then can read the memory"
    return Finding("warn", facts, f"`memoray up` makes {SERVICE} if `{MAKE[0]}` can: {shlex.join(MAKE)}")


def _packages(settings: Settings) -> Finding:
    missing = [name for name in PACKAGES if not _imports(name)]
    if missing:
        return Finding("fail", f"cannot be imported: {', '.join(missing)}", "run `make up` again")
    return Finding("ok", f"{len(PACKAGES)} import")


def _models(settings: Settings) -> Finding:
    from adapters import build_models
    from adapters.extraction import rules_model

    vector = build_models.embedder(settings).embed(["A memory."])[0]
    if settings.models.extraction.kind != "openai":
        rules_model.load()
    return Finding("ok", f"encoder {settings.models.encoder.kind} ({len(vector)} dimensions), parser loads")


def _token(settings: Settings) -> Finding:
    path = settings.token_path
    if not path.exists():
        return Finding("ok", "none yet; `memoray up` makes one")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Finding("fail", f"{path} has mode {mode:o}: others can read it", f"chmod 600 {path}")
    return Finding("ok", f"{path}, mode {mode:o}")


def _sound(settings: Settings) -> Finding:
    """How much sound is kept, and whether it is encrypted and can be read."""
    from adapters import build

    told = build.sound_survey(settings)
    hours = f"{counted(told.sessions, 'session')}, {told.seconds / 3_600:.1f} h in {told.bytes / 1e6:.0f} MB"
    encrypted = f"{told.encrypted} of them encrypted" if settings.sound.key_file else "not encrypted"
    facts = f"{hours}, {told.opus} as Opus; {encrypted}"
    if told.no_key or told.damaged:
        lost = f"{facts}; {told.no_key} need a key that is not named, {told.damaged} are damaged"
        return Finding("warn", lost, "put the old key behind the one in use (docs/howto/sound.md)")
    if told.old_key:
        return Finding("ok", f"{facts}, {told.old_key} still by an old key")
    return Finding("ok", facts)


def _gpu(settings: Settings) -> Finding:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("ok", "none; everything runs on the CPU")
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    listed = subprocess.run(query, capture_output=True, text=True, check=False, timeout=20)
    if listed.returncode != 0:
        return Finding("warn", "nvidia-smi does not work", "check the driver; everything still runs on the CPU")
    facts = listed.stdout.strip().replace("\n", "; ")
    return Finding("ok", f"{facts}; Ray installs what runs on it (docs/howto/dgx-spark.md)")


def _graph(settings: Settings) -> Finding:
    """Whether communities can be found on the GPU: its engine must see what the CPU's sees."""
    from adapters import build_models

    if find_spec("pylibcugraph") is None:
        hint = "run this in an environment of deployments/requirements/communities.txt (docs/howto/dgx-spark.md)"
        return Finding("warn", "pylibcugraph is not installed here; communities are found on the CPU", hint)
    build_models.graph_engine("gpu")
    return Finding("ok", "the graph engine of the GPU agrees with that of the CPU")


def _hearing(settings: Settings) -> Finding:
    """Whether what hears on the GPU keeps the promises of its ports, with the models that the Serve file names."""
    from adapters import build_models

    if find_spec("whisperx") is None:
        hint = "run this in an environment of deployments/requirements/speech.txt (docs/howto/dgx-spark.md)"
        return Finding("warn", "WhisperX is not installed here; sound is heard on the CPU", hint)
    named = _named_models()
    if named is None:
        return Finding("warn", "the Serve file names no model", "set MEMORAY_SERVE_CONFIG to serve_config.yaml")
    build_models.check_gpu_ears({**named, "trusted": trusted_of(settings.models.trusted)})
    models = ", ".join(named[role] for role in ("words", "voices", "emotion") if role in named)
    return Finding("ok", f"what hears on the GPU keeps its promises: {models}")


def _named_models() -> dict[str, Any] | None:
    """The models of speech that the Serve file names, by the fields of `build_models.gpu_ears`; None of no GPU."""
    args: dict[str, Any] = serve_config()["applications"][0].get("args", {})
    if args.get("backend") != "gpu":
        return None
    own: dict[str, Any] = args.get("speech", {})
    renamed = {"words": own.get("model", "large-v3-turbo")}
    return renamed | {name: own[name] for name in ("aligners", "voices", "emotion", "fetch") if own.get(name)}


def _left(settings: Settings) -> Finding:
    found = [str(each) for each in leftovers()]
    if not found:
        return Finding("ok", "nothing of earlier runs")
    return Finding("warn", f"{counted(len(found), 'folder')} of earlier runs: {'; '.join(found)}")


def _imports(name: str) -> bool:
    if find_spec(name) is None:
        return False
    try:
        importlib.import_module(name)
    except Exception:  # whatever it raises on import, it cannot be used
        return False
    return True


CHECKS: tuple[tuple[str, Callable[[Settings], Finding]], ...] = (
    ("python", _python),
    ("disk", _disk),
    ("memory", _memory),
    ("ports", _ports),
    ("postgres", _postgres),
    ("account", _account),
    ("packages", _packages),
    ("models", _models),
    ("token", _token),
    ("sound", _sound),
    ("gpu", _gpu),
    ("left", _left),
)

CLOSER: Mapping[str, tuple[tuple[str, Callable[[Settings], Finding]], ...]] = {
    "gpu": (("graph", _graph), ("hearing", _hearing)),
}
"""What is looked at besides if a check is asked for alone: what takes long, or needs another environment."""

COMMANDS = (("doctor", doctor),)
