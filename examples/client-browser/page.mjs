// @ts-check
// A page with one session: it streams the answer and shows buttons for approvals.
import { createClient } from '@quarterdeck/client'

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id))

// The page's own server holds the token with full access and creates this key: see serve.mjs.
const { baseUrl, token } = await (await fetch('/key', { method: 'POST' })).json()
const client = createClient({ baseUrl, token })
const { sessionId } = await client.createSession({ agent: 'coder', title: 'A page with an agent' })

/** @param {import('@quarterdeck/protocol').EventOfType<'ApprovalRequested'>['data']} asked */
function showApproval({ approvalId, toolName, toolInput }) {
  const row = document.createElement('p')
  row.id = approvalId
  row.append(`${toolName} ${JSON.stringify(toolInput)} `)
  for (const decision of /** @type {const} */ (['allow', 'deny'])) {
    const button = document.createElement('button')
    button.append(decision)
    button.onclick = () => client.decideApproval(approvalId, { decision })
    row.append(button)
  }
  element('approvals').append(row)
}

/**
 * One paragraph for each text, found by its message while that is in progress. @param {{ messageId: string }} message
 */
function paragraphOf({ messageId }) {
  const known = document.getElementById(messageId)
  if (known !== null) return known
  const paragraph = document.createElement('p')
  paragraph.id = messageId
  element('answer').append(paragraph)
  return paragraph
}

element('ask').onsubmit = async (event) => {
  event.preventDefault()
  const input = /** @type {HTMLInputElement} */ (element('message'))
  const content = input.value || input.placeholder
  input.value = ''
  await client.sendMessage(sessionId, { content })
}

for await (const event of client.follow(sessionId, {
  onStatus: (status) => element('status').replaceChildren(status),
})) {
  if (event.type === 'UserMessageQueued') paragraphOf(event.data).append(`> ${event.data.content}`)
  // Text arrives in pieces, as a snapshot after a reconnect, and finally as the complete message.
  if (event.type === 'AgentStreamToken' && event.data.kind === 'text') paragraphOf(event.data).append(event.data.text)
  if (event.type === 'AgentStreamSnapshot' && event.data.kind === 'text')
    paragraphOf(event.data).replaceChildren(event.data.text)
  if (event.type === 'AgentThought') {
    const paragraph = paragraphOf(event.data)
    paragraph.replaceChildren(event.data.text)
    paragraph.removeAttribute('id')
  }
  if (event.type === 'ApprovalRequested') showApproval(event.data)
  // Also removes approvals that were decided elsewhere, for example in the workbench.
  if (event.type === 'ApprovalDecided') document.getElementById(event.data.approvalId)?.remove()
}
