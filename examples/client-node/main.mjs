// @ts-check
// A whole session from Node: start, follow, approve, disconnect, resume and close.
//   node examples/client-node/main.mjs
import { readFile } from 'node:fs/promises'
import { createClient } from '@quarterdeck/client'
import { isDurable, isQuarterdeckError } from '@quarterdeck/protocol'

/** @typedef {import('@quarterdeck/protocol').SessionId} SessionId */

const baseUrl = process.env.QUARTERDECK_URL ?? 'http://127.0.0.1:4300'
const token = process.env.QUARTERDECK_TOKEN ?? (await readFile('.quarterdeck/token', 'utf8')).trim()
const client = createClient({ baseUrl, token })

/**
 * Prints the answer until the turn ends. After a lost connection the client continues behind the last event.
 * @param {SessionId} sessionId
 * @param {number} after
 * @returns the last event that was seen
 */
async function followTurn(sessionId, after) {
  let last = after
  for await (const event of client.follow(sessionId, { after, onStatus: showStatus })) {
    if (isDurable(event)) last = event.seq
    if (event.type === 'AgentStreamToken' && event.data.kind === 'text') show(event.data, 'piece')
    if (event.type === 'AgentStreamSnapshot' && event.data.kind === 'text') show(event.data, 'whole')
    if (event.type === 'AgentThought') show(event.data, 'end')
    if (event.type === 'ApprovalRequested') await decide(event.data)
    if (event.type === 'TurnEnded') break
  }
  process.stdout.write('\n')
  return last
}

/** What has been printed of what is not whole yet, by message. @type {Map<string, string>} */
const printed = new Map()

/**
 * Text arrives in pieces, as a snapshot after a reconnect, and finally as the complete message.
 * @param {{ messageId: string, text: string }} message
 * @param {'piece' | 'whole' | 'end'} how
 */
function show({ messageId, text }, how) {
  const before = printed.get(messageId) ?? ''
  const whole = how === 'piece' ? before + text : text
  process.stdout.write(whole.slice(before.length))
  if (how === 'end') printed.delete(messageId)
  else printed.set(messageId, whole)
}

/** @param {import('@quarterdeck/client').ConnectionStatus} status */
function showStatus(status) {
  if (status === 'reconnecting') console.log('[client] connection lost, reconnecting')
}

/**
 * A real program shows this to a person. This one allows the expected call and denies every other.
 * @param {import('@quarterdeck/protocol').EventOfType<'ApprovalRequested'>['data']} asked
 */
async function decide({ approvalId, toolName, toolInput }) {
  const isExpected = toolName === 'Bash' && toolInput.command === 'echo approved'
  const decision = isExpected ? 'allow' : 'deny'
  console.log(`\n[client] ${toolName} ${JSON.stringify(toolInput)} -> ${decision}`)
  try {
    await client.decideApproval(approvalId, { decision })
  } catch (error) {
    // Somebody in the workbench decided first.
    if (!isQuarterdeckError(error, 'approval.already-decided')) throw error
  }
}

const { sessionId } = await client.createSession({ agent: 'coder', message: 'My name is Ada' })
console.log(`[client] session ${sessionId}`)
let last = await followTurn(sessionId, 0)

// Events that happen while this program does not follow are in the log behind `last`. With a key, the message is queued
// once even if it is sent twice.
const key = crypto.randomUUID()
await client.sendMessage(sessionId, { content: 'run `echo approved`' }, { key })
await client.sendMessage(sessionId, { content: 'run `echo approved`' }, { key })
last = await followTurn(sessionId, last)

await client.close(sessionId)
const { session } = await client.getSession(sessionId)
console.log(`[client] ${session.status}, ${last} events seen`)
