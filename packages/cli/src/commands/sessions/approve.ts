// `quarterdeck sessions approve`: decides an approval from a script or another terminal.
import type { Client } from '@quarterdeck/client'
import {
  ApprovalId,
  type ApprovalList,
  type DecideApprovalBody,
  formatRule,
  isQuarterdeckError,
  type PermissionRule,
  parseRule,
  QuarterdeckError,
  type SessionId,
  visibleText,
} from '@quarterdeck/protocol'
import { connectServer } from '../../connect/connect-server.ts'
import { objectFlag } from '../../flags/parse-object.ts'
import type { JsonFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { paletteFor } from '../../render/palette.ts'
import { callTitle, toolTitle, wholeCall } from '../../render/tool-line.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { errorLine } from '../../terminal/error-text.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'

export interface ApproveFlags extends JsonFlags {
  readonly deny?: boolean
  /** "allow for this session" */
  readonly always?: boolean
  /** The rule that `--always` adds; the narrowest one by default. */
  readonly rule?: string
  readonly note?: string
  readonly input?: string
  readonly all?: boolean
}

/** With the working directory of its session: paths below it are shown relative. */
type Approval = ApprovalList['approvals'][number] & { readonly cwd: string }
type Named = Approval | Pick<Approval, 'approvalId'>

interface ApproveInput {
  /** An approval, or a session with one open approval (or several with `--all`). */
  readonly what: string
  readonly flags: ApproveFlags
}

/** Exits with 1 if no approval is open. */
export async function approve(terminal: Terminal, input: ApproveInput): Promise<number> {
  const { flags } = input
  const decision = decisionOf(flags)
  const client = await connectServer(terminal, flags)
  const approvals = await approvalsOf(client, terminal, input)
  if (approvals.length === 0) {
    remark(terminal, errorLine(`${input.what} has no open approval`, paletteFor(terminal.stderr, terminal.env)))
    return 1
  }
  for (const [index, approval] of approvals.entries()) {
    const applied = await client.decideApproval(approval.approvalId, decision).catch((error: unknown) => {
      // Earlier decisions stay: the message says how many there are.
      if (index > 0)
        remark(terminal, `${index} of ${approvals.length} were decided before ${approval.approvalId} failed`)
      throw namingCall(error, approval, decision)
    })
    if (flags.json === true) print(terminal, jsonText({ ...applied, approvalId: approval.approvalId }))
    else print(terminal, decided(approval, decision))
  }
  return 0
}

function decisionOf({ deny, always, rule, note, input, all }: ApproveFlags): DecideApprovalBody {
  if (rule !== undefined && always !== true) throw misuse('--rule needs --always: add --always, or leave --rule out')
  if (deny === true && (always === true || input !== undefined))
    throw misuse('--deny cannot be combined with --always or --input')
  if (all === true && input !== undefined)
    throw misuse('--input applies to one call: name the approval instead of using --all')
  return {
    decision: deny === true ? 'deny' : always === true ? 'allow_session' : 'allow',
    ...(rule === undefined ? {} : { rule: ruleFlag(rule) }),
    ...(note === undefined ? {} : { note }),
    ...(input === undefined ? {} : { input: objectFlag(input, '--input') }),
  }
}

function ruleFlag(text: string): PermissionRule {
  const rule = parseRule(text)
  if (rule === undefined) throw misuse(`--rule: "${text}" is not a rule. Write Tool or Tool(pattern)`)
  return rule
}

async function approvalsOf(
  client: Client,
  terminal: Terminal,
  { what, flags }: ApproveInput,
): Promise<readonly Named[]> {
  const id = ApprovalId.safeParse(what)
  if (id.success) {
    const { approvals } = await client.listApprovals({})
    // An approval that is not open is sent anyway: the server knows who decided it and when.
    const approval = approvals.find(({ approvalId }) => approvalId === id.data)
    return approval === undefined ? [{ approvalId: id.data }] : withFolder(client, approval.sessionId, [approval])
  }
  if (what.startsWith('apr_')) {
    const lists = `"${commandLine(terminal)} sessions show ses_…" shows the approvals of a session`
    throw new QuarterdeckError('approval.not-found', `"${what}" is not an approval id: ${lists}`)
  }
  const sessionId = sessionIdOf(terminal, what)
  const open = await withFolder(client, sessionId, (await client.listApprovals({ session: sessionId })).approvals)
  if (open.length <= 1 || flags.all === true) return open
  const list = open.map((one) => `  ${one.approvalId}  ${describe(one, '      ')}`).join('\n')
  throw misuse(`${open.length} approvals are open: choose one, or use --all\n${list}`)
}

async function withFolder(
  client: Client,
  sessionId: SessionId,
  approvals: ApprovalList['approvals'],
): Promise<Approval[]> {
  const { session } = await client.getSession(sessionId)
  return approvals.map((approval) => ({ ...approval, cwd: session.cwd }))
}

/** The call that will run: the edited input if there is one. */
function decided(approval: Named, { decision, input, rule: chosen }: DecideApprovalBody): string {
  const verb = decision === 'deny' ? 'denied' : 'allowed'
  if (!('toolName' in approval)) return `${verb} ${approval.approvalId}`
  const { toolName, toolInput, sessionRule, cwd } = approval
  const rule = decision === 'allow_session' ? visibleText(` (rule: ${formatRule(chosen ?? sessionRule)})`) : ''
  const edited = input === undefined ? '' : ' (edited)'
  return `${verb} ${describe({ toolName, toolInput: input ?? toolInput, cwd }, '    ', edited + rule)}`
}

/** An input that does not match may be meant for another call. */
function namingCall(error: unknown, approval: Named, { input }: DecideApprovalBody): unknown {
  if (input === undefined || !('toolName' in approval) || !isQuarterdeckError(error, 'request.invalid')) return error
  const waits = `the waiting call is ${callTitle(approval, approval.cwd)}`
  return new QuarterdeckError(error.code, `${error.message}; ${waits}`, { cause: error })
}

/** The call as `chat` shows it: the first line beside the tool, the others below, indented. */
function describe(
  { toolName, toolInput, cwd }: Pick<Approval, 'toolName' | 'toolInput' | 'cwd'>,
  indent: string,
  after = '',
): string {
  const [first = '', ...others] = wholeCall(toolInput, cwd)
  return [`${toolTitle(toolName)} ${first}${after}`, ...others.map((line) => `${indent}${line}`)].join('\n')
}
