"""`msdump`: the commands, and how every one of them ends."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import click

from msdump.cli.complaints import report_error, report_os_error
from msdump.cli.lazy import LazyGroup
from msdump.errors import MsdumpError

COMMANDS = {
    "show": ("msdump.cli.show", "What is in a file or folder, whatever it is."),
    "diff": ("msdump.cli.diff", "Same or different: two files or folders of one kind."),
    "convert": ("msdump.cli.convert", "From any format to any other that makes sense."),
    "print": ("msdump.cli.print", "Print logs (print.pb)."),
    "graph": ("msdump.cli.graph", "Graphs (.ir, .dat, .dot, .pb, .mindir)."),
    "dump": ("msdump.cli.dump", "Tensor dumps (.npy, .bin, statistic.csv)."),
    "report": ("msdump.cli.report", "One self-contained page about files and folders."),
    "git": ("msdump.cli.git", "Git's diff driver and difftool for these files."),
    "doctor": ("msdump.cli.doctor", "Which extras and external programs are there."),
}
ALIASES = {"decode": "show"}


class MsdumpGroup(LazyGroup):
    """The top group: a first word that is no command is a path, so `msdump PATH` shows it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        top_options = {"--version", "--help", "-h"}
        if args and args[0] not in self.lazy and args[0] not in ALIASES and args[0] not in top_options:
            args = ["show", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from msdump.version import VERSION

        click.echo(f"msdump {VERSION}")
        ctx.exit()


@click.group(cls=MsdumpGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def cli() -> None:
    """Read, compare and convert the debug files of MindSpore.

    `msdump PATH…` is short for `msdump show PATH…`.
    """


def main(argv: list[str] | None = None) -> NoReturn:
    """Run the command line and end the process: 0 done, 1 differs, 2 trouble, 130 interrupted."""
    if sys.stdout is None:  # closed by whoever wants the status alone
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # until the process ends
    try:
        status = _invoke(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except click.exceptions.Exit as ending:
        status = ending.exit_code
    except click.exceptions.Abort:
        status = 130
    except click.ClickException as error:
        error.show()
        status = 2
    except MsdumpError as error:
        _flush_quietly()
        report_error(error)
        status = 2
    except BrokenPipeError:
        _close_pipe()
        status = 0
    except KeyboardInterrupt:
        status = 130
    except OSError as error:
        _flush_quietly()
        report_os_error(error)
        status = 2
    sys.exit(status if isinstance(status, int) else 0)


def _invoke(argv: list[str]) -> Any:
    if "_MSDUMP_COMPLETE" in os.environ:  # a shell asks for completions
        return cli.main(args=argv, prog_name="msdump", standalone_mode=False)
    # Not click's own main(): it ends with 1 for a closed pipe, and answers Ctrl-C with an empty line.
    with cli.make_context("msdump", list(argv)) as ctx:
        return cli.invoke(ctx)


def _flush_quietly() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _close_pipe()


def _close_pipe() -> None:
    # The reader is gone: keep the interpreter from flushing into it once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
