// A hook whose pattern matches no tool never runs, so a guard may silently be missing. Warns only when certain: tool
// names of MCP servers and clients are unknown at load time.
import type { AgentTool, BackendName, ClaudeSettings } from '@quarterdeck/protocol'
import { RanTooLong, runBounded } from '../../async/run-bounded.ts'
import { matchableToolNames } from '../../hooks/matchable-tool-names.ts'
import { availableTools, canonicalToolName, isKnownTool } from '../../permissions/tools/available-tools.ts'
import { questionTool } from '../../ports/question-tool.ts'
import { clientToolName } from '../../tool-names/client-tool-names.ts'
import { callNamesOf, mcpToolName } from '../../tool-names/host-tool-names.ts'
import type { AgentContext } from '../agent-context.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { formatPath } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'

export interface OfferedTools {
  readonly backend: BackendName
  readonly claude: ClaudeSettings
  readonly tools: readonly AgentTool[]
}

const toolEvents: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]
/** The time limit for one match at run time covers all names here, because the server waits for the check. */
const longestMatchMs = 500

export function checkMatchers(context: AgentContext, offered: OfferedTools): void {
  const { file, source } = context
  // A tool that failed to parse may be the intended one.
  if ((file.tools ?? []).length !== offered.tools.length) return
  const names = offeredNames(context, offered)
  for (const [index, { event, matcher }] of (file.hooks ?? []).entries()) {
    const path = ['hooks', index, 'matcher']
    if (matcher == null || !toolEvents.includes(event) || source.substitutions.has(formatPath(path))) continue
    const finding = findingOf(matcher, names)
    if (finding === null) continue
    const { suggestion } = finding
    const message = `"${formatPath(path)}": ${finding.message(asWritten(source, path, matcher))}`
    source.report({ severity: 'warning', code: 'config.no-effect', path, part: 'value', message, suggestion })
    // Stop at the first slow pattern; the next load reports the others.
    if (finding === tooSlow) return
  }
}

interface Names {
  /** All names known at load time. */
  readonly known: readonly string[]
  /** Name prefixes of tools of MCP servers and clients, whose full names are unknown. */
  readonly starts: readonly string[]
  readonly servers: readonly string[]
}

/** The names the model uses, for tools whose names are known at load time. */
export function certainCallNames({ file }: AgentContext, { backend, claude, tools }: OfferedTools): readonly string[] {
  return [
    ...(backend === 'claude' ? availableTools(claude) : []),
    questionTool,
    // The Claude backend returns structured answers through this tool.
    ...(backend === 'claude' && file.response_format != null ? ['StructuredOutput'] : []),
    ...tools.flatMap((tool) => (tool.type === 'client' ? [clientToolName(tool.name)] : callNamesOf(tool))),
  ]
}

function offeredNames(context: AgentContext, offered: OfferedTools): Names {
  const { tools } = offered
  const called = certainCallNames(context, offered)
  const servers = tools.filter(({ type }) => type === 'mcp').map(({ name }) => name)
  return {
    known: [...new Set([...called.flatMap((name) => matchableToolNames(name, tools)), ...servers])],
    starts: [clientToolName(''), ...servers.map((server) => mcpToolName(server, ''))],
    servers,
  }
}

interface Finding {
  readonly message: (written: string) => string
  readonly suggestion: string | undefined
}

const tooSlow: Finding = {
  message: (written) => `${written} takes too long to compare with tool names: the hook fails`,
  suggestion: undefined,
}

function findingOf(matcher: string, names: Names): Finding | null {
  try {
    return runBounded(() => compare(matcher, names), longestMatchMs)
  } catch (error) {
    if (error instanceof RanTooLong) return tooSlow
    throw error
  }
}

function compare(matcher: string, names: Names): Finding | null {
  // Tries every name, as at run time: a fast match for one name does not mean the next is fast.
  const fitting = names.known.filter((name) => fits(matcher, name))
  const choices = choicesOf(matcher)
  const unmatched = choices.filter(({ text }) => !mayFit(text, names))
  const corrections = unmatched.flatMap(({ text, at }) => {
    const near = nearest(text, names)
    return near === undefined ? [] : [{ text, at, near }]
  })
  const suggestion = corrections.length === 0 ? undefined : correct(matcher, corrections)
  if (fitting.length === 0 && unmatched.length === choices.length) {
    const off = unmatched.map(({ text }) => canonicalToolName(text)).find(isKnownTool)
    const why = off === undefined ? '' : ` (${off} is disabled)`
    return { message: (written) => `${written} matches no tool of this agent${why}: the hook never runs`, suggestion }
  }
  // If another alternative matches, an unknown name is reported only when it looks like a typo.
  if (suggestion === undefined) return null
  const typos = corrections.map(({ text }) => text).join(' or ')
  return { message: () => `no tool of this agent is named ${typos}`, suggestion }
}

/** One alternative of a pattern, with its offset. */
interface Choice {
  readonly text: string
  readonly at: number
}

const correct = (matcher: string, corrections: readonly (Choice & { readonly near: string })[]): string =>
  corrections.reduceRight(
    (whole, { text, at, near }) => whole.slice(0, at) + near + whole.slice(at + text.length),
    matcher,
  )

/** The alternatives between the outermost `|`, without one enclosing pair of brackets. */
function choicesOf(matcher: string): readonly Choice[] {
  const [, opening = '', bare = matcher] = /^(\^?\((?:\?:)?)([^()[\]\\]*)\)\$?$/.exec(matcher) ?? []
  const starts = [0]
  let depth = 0
  for (const { 0: part, index } of bare.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gs)) {
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    if (part === '|' && depth === 0) starts.push(index + 1)
  }
  return starts.map((start, alternative) => {
    const text = bare.slice(start, (starts[alternative + 1] ?? bare.length + 1) - 1)
    const anchor = text.startsWith('^') ? 1 : 0
    return { text: text.slice(anchor).replace(/(?<!\\)\$$/, ''), at: opening.length + start + anchor }
  })
}

/** An alternative that is not a valid pattern by itself may match anything. */
function fits(pattern: string, name: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(name)
  } catch {
    return true
  }
}

const plainName = /^[\w-]+$/

function mayFit(choice: string, { known, starts }: Names): boolean {
  if (known.some((name) => fits(choice, name))) return true
  if (plainName.test(choice)) return starts.some((start) => choice.startsWith(start) && choice !== start)
  // Every match starts with this prefix.
  const [, letters = '', repeat = ''] = /^([\w-]*)([*?{]?)/.exec(choice) ?? []
  const beginning = repeat === '' ? letters : letters.slice(0, -1)
  return starts.some((start) => start.startsWith(beginning) || beginning.startsWith(start))
}

function nearest(choice: string, { known, servers }: Names): string | undefined {
  // A correct name of a disabled tool.
  if (isKnownTool(canonicalToolName(choice))) return undefined
  const [, server] = /^mcp__([\w-]+?)__/.exec(choice) ?? []
  const nearServer = server === undefined ? undefined : nearestName(server, servers)
  const near =
    server !== undefined && nearServer !== undefined
      ? choice.replace(server, () => nearServer)
      : plainName.test(choice)
        ? nearestName(choice, known)
        : undefined
  return near === choice ? undefined : near
}
