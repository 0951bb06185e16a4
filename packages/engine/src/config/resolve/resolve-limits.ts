import {
  type ApprovalPolicy,
  type BackendName,
  defaultBudgetUsd,
  type Limits,
  type PermissionRule,
  parseRule,
} from '@quarterdeck/protocol'
import { canonicalToolName, isKnownTool, knownTools } from '../../permissions/tools/available-tools.ts'
import { questionTool } from '../../ports/question-tool.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import type { AgentContext } from '../agent-context.ts'
import { providerSettings } from '../check/choose-backend.ts'
import { isDeclared } from '../check/declared-tool.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { parseDuration } from '../schema/duration.ts'

const defaultLimits: Limits = { maxTurns: 50, maxBudgetUsd: defaultBudgetUsd, maxDurationMs: 3_600_000 }

/** The lower value of `limits` and `claude` applies. */
export function resolveLimits(context: AgentContext): Limits {
  const { limits } = context.file
  const claude = providerSettings(context.file)
  const turns = limits?.max_turns ?? claude?.max_turns ?? defaultLimits.maxTurns
  const dollars = limits?.max_budget_usd ?? claude?.max_budget_usd ?? defaultLimits.maxBudgetUsd
  const duration = limits?.max_duration
  return {
    maxTurns: Math.min(turns, claude?.max_turns ?? turns),
    maxBudgetUsd: Math.min(dollars, claude?.max_budget_usd ?? dollars),
    maxDurationMs:
      duration == null ? defaultLimits.maxDurationMs : durationAt(context, duration, ['limits', 'max_duration']),
  }
}

export function resolveApprovals(context: AgentContext, backend: BackendName): ApprovalPolicy {
  const { approvals } = context.file
  const expiry = approvals?.expires_after ?? 'never'
  const rulesOf = (list: 'allow' | 'deny') => {
    const rules = rulesAt(context, approvals?.[list] ?? [], ['approvals', list])
    if (backend === 'loop') warnAboutRules(context, list)
    return rules
  }
  return {
    allow: rulesOf('allow'),
    deny: rulesOf('deny'),
    expiresAfterMs: expiry === 'never' ? null : durationAt(context, expiry, ['approvals', 'expires_after']),
  }
}

function durationAt({ source }: AgentContext, text: string, path: Path): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  const never = path.at(-1) === 'expires_after' ? ', or never' : ''
  source.refuseValue(path, `"${formatPath(path)}" must be a duration such as 90s, 30m or 1h, at most 24d${never}`)
  return defaultLimits.maxDurationMs
}

function rulesAt(context: AgentContext, texts: readonly string[], list: Path): PermissionRule[] {
  const { source } = context
  return texts.flatMap((text, index) => {
    const rule = parseRule(text)
    const path = [...list, index]
    if (rule !== undefined) return knownRule(context, { ...rule, tool: canonicalToolName(rule.tool) }, path)
    const message = `"${asWritten(source, path, text)}" is not a rule: use Tool or Tool(pattern), such as Bash(npm test*)`
    source.refuseValue(path, message)
    return []
  })
}

/** The loop has no CLI tools. */
function warnAboutRules({ source, file }: AgentContext, list: 'allow' | 'deny'): void {
  file.approvals?.[list]?.forEach((text, index) => {
    const tool = canonicalToolName(parseRule(text)?.tool ?? '')
    if (tool === questionTool || !isKnownTool(tool) || isDeclared(tool, file.tools ?? [])) return
    source.warnNoEffect(['approvals', list, index], `backend: loop does not have ${tool}`)
  })
}

/** A rule for an unknown tool protects nothing, so it is an error. */
function knownRule({ source, file }: AgentContext, rule: PermissionRule, path: Path): PermissionRule[] {
  const isKnown = isKnownTool(rule.tool) || ownNameOf(rule.tool) !== null
  if (isKnown || isDeclared(rule.tool, file.tools ?? [])) return [rule]
  const suggestion = nearestName(rule.tool, [...knownTools, ...(file.tools ?? []).map(({ name }) => name)])
  const message = `no tool is named "${rule.tool}"`
  source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message, suggestion })
  return []
}
