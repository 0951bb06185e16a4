// A hook whose pattern fits no tool of its agent never runs: a guard that looks shut and stands open. Said only where it is
// certain: servers and clients bring tools whose names no file knows.
import type { AgentTool, BackendName, ClaudeSettings } from '@quarterdeck/protocol'
import { RanTooLong, runBounded } from '../../async/run-bounded.ts'
import { questionTool } from '../../backends/question-tool.ts'
import { matchableToolNames } from '../../hooks/matchable-tool-names.ts'
import { availableTools, canonicalToolName, knownTools } from '../../permissions/tools/available-tools.ts'
import { clientToolName } from '../../tool-names/client-tool-names.ts'
import { callNamesOf, mcpToolName } from '../../tool-names/host-tool-names.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { formatPath } from '../problems/value-path.ts'
import type { AgentContext } from '../resolve/resolve-agent.ts'
import { asWritten } from '../schema/describe-issue.ts'

export interface OfferedTools {
  readonly backend: BackendName
  readonly claude: ClaudeSettings
  readonly tools: readonly AgentTool[]
}

/** Those that are about one tool. */
const toolEvents: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]
/** What one call may take at run time is enough for all names here: the server waits as well. */
const longestMatchMs = 500

export function checkMatchers(context: AgentContext, offered: OfferedTools): void {
  const { file, source } = context
  // One that could not be read may be the one that is meant.
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
    // One is enough to wait for: the others are told when it is mended.
    if (finding === tooSlow) return
  }
}

interface Names {
  /** Every name that is certain. */
  readonly known: readonly string[]
  /** What the names of tools begin with that are not: those of servers and of clients. */
  readonly starts: readonly string[]
  readonly servers: readonly string[]
}

/** What the model calls each tool by, of those whose names are certain. */
export function certainCallNames({ file }: AgentContext, { backend, claude, tools }: OfferedTools): readonly string[] {
  return [
    ...(backend === 'claude' ? availableTools(claude) : []),
    questionTool,
    // By it the Claude backend gives a structured answer.
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
  message: (written) => `${written} takes too long to compare with the names of tools: the hook fails`,
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
  // Every name, as at run time: the first that fits says nothing about the next.
  const fitting = names.known.filter((name) => fits(matcher, name))
  const choices = choicesOf(matcher)
  const strange = choices.filter(({ text }) => !mayFit(text, names))
  const meant = strange.flatMap(({ text, at }) => {
    const near = nearest(text, names)
    return near === undefined ? [] : [{ text, at, near }]
  })
  const suggestion = meant.length === 0 ? undefined : mend(matcher, meant)
  if (fitting.length === 0 && strange.length === choices.length) {
    const off = strange.map(({ text }) => canonicalToolName(text)).find(isBuiltIn)
    const why = off === undefined ? '' : ` (${off} is off)`
    return { message: (written) => `${written} fits no tool of this agent${why}: the hook never runs`, suggestion }
  }
  // Beside one that fits, a name nobody has is left alone, unless it looks like a slip of the pen.
  if (suggestion === undefined) return null
  const slips = meant.map(({ text }) => text).join(' or ')
  return { message: () => `no tool of this agent is called ${slips}`, suggestion }
}

/** One of the ways a pattern can fit, and where it stands in it. */
interface Choice {
  readonly text: string
  readonly at: number
}

const mend = (matcher: string, meant: readonly (Choice & { readonly near: string })[]): string =>
  meant.reduceRight((whole, { text, at, near }) => whole.slice(0, at) + near + whole.slice(at + text.length), matcher)

/** The parts between the outermost `|`; one pair of brackets around them all is taken off. */
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

/** Nothing is certain of what is no pattern by itself. */
function fits(pattern: string, name: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(name)
  } catch {
    return true
  }
}

const isBuiltIn = (name: string): boolean => knownTools.some((tool) => tool === name)

const plainName = /^[\w-]+$/

function mayFit(choice: string, { known, starts }: Names): boolean {
  if (known.some((name) => fits(choice, name))) return true
  if (plainName.test(choice)) return starts.some((start) => choice.startsWith(start) && choice !== start)
  // Whatever it fits begins with this.
  const [, letters = '', repeat = ''] = /^([\w-]*)([*?{]?)/.exec(choice) ?? []
  const beginning = repeat === '' ? letters : letters.slice(0, -1)
  return starts.some((start) => start.startsWith(beginning) || beginning.startsWith(start))
}

function nearest(choice: string, { known, servers }: Names): string | undefined {
  // The right name of a tool that is off.
  if (isBuiltIn(canonicalToolName(choice))) return undefined
  const [, server] = /^mcp__([\w-]+?)__/.exec(choice) ?? []
  const meant = server === undefined ? undefined : nearestName(server, servers)
  const near =
    server !== undefined && meant !== undefined
      ? choice.replace(server, () => meant)
      : plainName.test(choice)
        ? nearestName(choice, known)
        : undefined
  return near === choice ? undefined : near
}
