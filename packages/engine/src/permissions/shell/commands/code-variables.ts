// Variables whose value some program executes.

/** Interpreted by the shell, the linker or the loader of a program, so they cannot be parsed as a command line. */
const loaded =
  /^(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|ENV|ZDOTDIR|BASH_ALIASES|BASH_CMDS|BASH_FUNC_.*|SHELLOPTS|BASHOPTS)$/
const linked = /^(?:LD|DYLD)_|^GIT_(?:CONFIG|EXEC_PATH|TEMPLATE_DIR)/
/** These contain a command line. */
const commandLine =
  /^(?:(?:GIT_|MAN|SYSTEMD_)?PAGER|(?:GIT_|GIT_SEQUENCE_|SUDO_)?EDITOR|FCEDIT|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|GIT_SSH|GIT_SSH_COMMAND|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|(?:GIT_|SSH_|SUDO_)ASKPASS|RSYNC_RSH|TAR_OPTIONS)$/

export const carriesCode = (name: string): boolean => loaded.test(name) || linked.test(name)

/** Integer variables of the shell: an assigned value is evaluated. */
const counted =
  /^(?:S?RANDOM|SECONDS|HISTCMD|OPTIND|LINENO|BASHPID|PPID|E?[UG]ID|EPOCH\w+|COLUMNS|LINES|TMOUT|HISTSIZE|SAVEHIST|FUNCNEST|BASH_COMPAT)$/

export const isCounted = (name: string): boolean => counted.test(name)

export const holdsCommandLine = (name: string): boolean => commandLine.test(name)
