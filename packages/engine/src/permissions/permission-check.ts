// The engine's decision on one call, without waiting for a person. The order is the contract: available tools, hard
// limits, deny rules, plan mode, rules of the session, the agent file, the mode, ask.
import { resolve } from 'node:path'
import {
  type AgentTool,
  type ApprovalPolicy,
  assertNever,
  type ClaudeSettings,
  type EffectClass,
  formatRule,
  isRetrievalTool,
  type JsonObject,
  type PermissionMode,
  type PermissionRule,
} from '@quarterdeck/protocol'
import type { SessionTools } from '../backends/backend.ts'
import { questionTool } from '../ports/question-tool.ts'
import { ownNameOf } from '../tool-names/client-tool-names.ts'
import { callNamesOf, findHostTool, isHostToolOffered, spellingsOf } from '../tool-names/host-tool-names.ts'
import type { CheckedCall } from './calls/checked-call.ts'
import type { Refusal } from './calls/refusal.ts'
import { type RuleContext, textField } from './calls/rule-subject.ts'
import { createFilePolicy } from './files/file-policy.ts'
import { classifyEffects } from './rules/classify-effects.ts'
import { findAllowing, findDenying, suggestSessionRule } from './rules/match-rule.ts'
import { createBashPolicy } from './shell/bash-policy.ts'
import { availableTools, canonicalToolName } from './tools/available-tools.ts'

export type PermissionAnswer =
  | {
      readonly type: 'allow'
      readonly input: JsonObject
      readonly rule: string
      /** Set if a rule of the session or the agent file allows the call, rather than the mode. */
      readonly isByRule?: true
    }
  | ({ readonly type: 'deny' } & Refusal)
  | {
      readonly type: 'ask'
      /** Why approval is needed, as text. */
      readonly rule: string
      readonly effects: readonly EffectClass[]
      /** The rule that "allow for this session" would add. */
      readonly sessionRule: PermissionRule
      /** Rules that allow more than this call. A person may add one of them instead. */
      readonly widerRules: readonly PermissionRule[]
      /** The input that runs after an approval: the call's input with secret files excluded. */
      readonly input: JsonObject
    }

type Question = Extract<PermissionAnswer, { type: 'ask' }>

export interface PermissionCheckOptions {
  readonly claude: ClaudeSettings
  /** The working directory of the session: absolute, and not always that of the agent file. */
  readonly cwd: string
  readonly approvals: ApprovalPolicy
  /** Absolute paths of the server's own files: the access token, the database. */
  readonly hiddenPaths: readonly string[]
  /** The tools of the agent file besides those of its backend. */
  readonly hostTools?: readonly AgentTool[]
  /** The tools that the session's clients currently run, by their own names. */
  readonly clientTools?: () => readonly string[]
  /** Selects the tools of the session among all these. */
  readonly sessionTools: SessionTools
}

export interface PermissionSituation {
  readonly mode: PermissionMode
  readonly sessionRules: readonly PermissionRule[]
}

export type PermissionCheck = ReturnType<typeof createPermissionCheck>

export function createPermissionCheck({ claude, approvals, hiddenPaths, ...options }: PermissionCheckOptions) {
  const { clientTools = () => [], hostTools = [] } = options
  const isOfSession = options.sessionTools.has
  const cwd = resolve(options.cwd)
  const tools = new Set(availableTools(claude, hostTools).filter(isOfSession))
  const files = createFilePolicy({ cwd, hiddenPaths, guardsSettings: claude.settingSources.length > 0 })
  const { excludedCommands, allowUnsafe } = claude.bash
  const shell = createBashPolicy({ cwd, excludedCommands, allowUnsafe, files })

  /** For the message about an unavailable tool. The tools of MCP servers are not known here. */
  const offeredNames = (): readonly string[] =>
    hostTools.flatMap((tool) => {
      if (tool.type === 'mcp') return [`the tools of ${tool.name}`]
      return callNamesOf(tool).filter(
        (name) => isHostToolOffered({ tools: hostTools, claude }, name) && isOfSession(name),
      )
    })

  /** Rejects if the check itself fails: the caller must then deny. */
  const check = async (call: CheckedCall, situation: PermissionSituation): Promise<PermissionAnswer> =>
    decide({ ...call, toolName: canonicalToolName(call.toolName) }, situation)

  async function decide(call: CheckedCall, { mode, sessionRules }: PermissionSituation): Promise<PermissionAnswer> {
    const ownName = ownNameOf(call.toolName)
    const isClientTool = ownName !== null && clientTools().includes(ownName)
    const isHostTool = isHostToolOffered({ tools: hostTools, claude }, call.toolName) && isOfSession(call.toolName)
    if (!isClientTool && !isHostTool && !tools.has(call.toolName)) {
      return deny(unavailable(call.toolName, [...tools, ...offeredNames()]), 'not among the tools of this agent')
    }
    const { refusal, input, realPath, realCwd } = await files.check(call)
    const refused = refusal ?? (call.toolName === 'Bash' ? await shell.check(call) : null) ?? checkMessage(call)
    if (refused !== null) return { type: 'deny', ...refused }

    const hostTool = findHostTool(hostTools, call.toolName)
    const spellings = hostTool === null ? [] : spellingsOf(hostTool, call.toolName)
    const context: RuleContext = { cwd, realPath, realCwd, spellings }
    const denying = findDenying(approvals.deny, call, context)
    if (denying !== null) return deny(deniedSentence(call, denying), `approvals.deny: ${formatRule(denying)}`)
    if (call.toolName === questionTool) return { type: 'allow', input, rule: 'a question needs no approval' }
    if (hostTool?.type === 'skill') return { type: 'allow', input, rule: 'instructions of the agent need no approval' }
    if (mode === 'plan') return deny(planSentence(call), 'plan mode: nothing is executed')

    if (isClientTool) return { type: 'allow', input, rule: 'the client that runs it decides' }
    const bySession = findAllowing(sessionRules, call, context)
    if (bySession !== null) return allowBy(`allowed for this session: ${spell(bySession)}`, input)
    const byFile = findAllowing(approvals.allow, call, context)
    if (byFile !== null) return allowBy(`approvals.allow: ${spell(byFile)}`, input)
    const why = askedBecause(mode, call.toolName)
    if (why === null) return { type: 'allow', input, rule: `${mode} mode` }
    return asking({ ...call, toolInput: input }, why)
  }

  function asking(call: CheckedCall, rule: string): Question {
    const hostTool = findHostTool(hostTools, call.toolName)
    const effects = classifyEffects(call, hostTool?.type ?? null)
    // Searches differ from call to call, and allowing one means allowing to read.
    const isSearch = hostTool !== null && isRetrievalTool(hostTool)
    const sessionRule = isSearch ? { tool: call.toolName, pattern: null } : suggestSessionRule(call, cwd)
    const widerRules = isSearch ? [] : widerRulesFor(hostTool, call.toolName)
    return { type: 'ask', rule, effects, sessionRule, widerRules, input: call.toolInput }
  }

  return {
    check,
    /** For a call that the rules allow but a person has to approve. */
    askAnyway: (call: CheckedCall, because: string): Question =>
      asking({ ...call, toolName: canonicalToolName(call.toolName) }, because),
  }
}

const agentId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/**
 * SendMessage accepts plain text for one subagent, named by its id. It could also reach other sessions on this machine,
 * or broadcast.
 */
function checkMessage({ toolName, toolInput }: CheckedCall): Refusal | null {
  if (toolName !== 'SendMessage') return null
  const isPlain = agentId.test(textField(toolInput, 'to') ?? '') && textField(toolInput, 'message') !== null
  if (isPlain) return null
  const message = 'Denied: SendMessage accepts only text for one subagent of this session, named by its agentId.'
  return { message, rule: 'SendMessage reaches subagents only' }
}

/** For a call of a changed tool, if no person can be asked. */
export const noPersonToAskAgainSentence = (toolName: string, because: string): string =>
  `Denied: ${toolName} needs a new approval and no person can be asked here: ${because}. ` +
  'A person can approve it once, in the workbench or with "quarterdeck chat". Continue without it or say what is missing.'

/** Arguments of MCP tools and functions differ from call to call: a rule for one input would never match again. */
function widerRulesFor(tool: AgentTool | null, toolName: string): readonly PermissionRule[] {
  if (tool === null) return []
  const names = tool.type === 'mcp' ? [toolName, `mcp__${tool.name}`] : [toolName]
  return names.map((name) => ({ tool: name, pattern: null }))
}

/** For a call that needs approval if no person can be asked. */
export const noPersonToAskSentence = (call: CheckedCall, sessionRule: PermissionRule): string =>
  `Denied: ${canonicalToolName(call.toolName)} needs an approval and no person can be asked here. ` +
  `To allow it, put \`${agentFileRuleFor(call, sessionRule)}\` into the agent file. Continue without it or say what is missing.`

/** The setting of an agent file that allows a call without approval. */
export function agentFileRuleFor({ toolName }: CheckedCall, sessionRule: PermissionRule): string {
  // A rule for one input of an MCP tool would not match the next call.
  const advised = toolName.startsWith('mcp__') ? { tool: toolName, pattern: null } : sessionRule
  return `approvals: {allow: ['${formatRule(advised).replaceAll("'", "''")}']}`
}

const allowBy = (rule: string, input: JsonObject): PermissionAnswer => ({ type: 'allow', input, rule, isByRule: true })

const deny = (message: string, rule: string): PermissionAnswer => ({ type: 'deny', message, rule })

const spell = (rules: readonly PermissionRule[]): string => rules.map(formatRule).join(', ')

function unavailable(toolName: string, tools: readonly string[]): string {
  const others = tools.length === 0 ? 'It has no tools: answer in words.' : `It has: ${tools.join(', ')}.`
  return `${toolName} is not available to this agent. ${others}`
}

const deniedSentence = (call: CheckedCall, rule: PermissionRule): string =>
  `Denied: ${call.toolName} is refused by the rule ${formatRule(rule)} in approvals.deny of the agent file. ` +
  'Find another way or say what you would have done.'

const planSentence = (call: CheckedCall): string =>
  `Denied: this session is in plan mode, in which nothing is executed. Describe what you would do with ${call.toolName} instead.`

/** Null if the mode does not ask. Writes and edits that get this far are inside the working directory. */
function askedBecause(mode: Exclude<PermissionMode, 'plan'>, toolName: string): string | null {
  switch (mode) {
    case 'acceptAll':
      return null
    case 'acceptEdits':
      if (toolName === 'Write' || toolName === 'Edit') return null
      return 'acceptEdits mode asks for everything but Write and Edit inside the working directory'
    case 'manual':
      return 'no rule allows this call'
    default:
      return assertNever(mode)
  }
}
