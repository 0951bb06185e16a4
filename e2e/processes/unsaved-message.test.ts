// kill -9 at the first words of an answer: the CLI has not saved the message. Forks and rewinds still work.
import { isDurable, type SessionId } from '@quarterdeck/protocol'
import { afterEach, expect, it } from 'vitest'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const running: ServedProcess[] = []
async function start(dataDir?: string): Promise<ServedProcess> {
  const served = await serveProcess({
    args: ['--model-source', 'simulator'],
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  running.push(served)
  return served
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

async function answerTo(served: ServedProcess, sessionId: SessionId, content: string) {
  const { messageId, appliedSeq } = await served.client.sendMessage(sessionId, { content })
  return { messageId, answer: await answerAfter(served, sessionId, appliedSeq) }
}

async function answerAfter(served: ServedProcess, sessionId: SessionId, after: number) {
  await watchUntil(served, sessionId, (event) => isDurable(event) && event.seq > after && isStatus('idle')(event))
  return (await served.client.getSession(sessionId)).session.lastResult
}

async function deliveredAt(served: ServedProcess, sessionId: SessionId, messageId: string) {
  const log = await wholeLog(served, sessionId)
  const delivered = log.findLast((event) => event.type === 'UserMessageDelivered' && event.data.messageId === messageId)
  if (delivered === undefined) throw new Error(`${messageId} was not delivered`)
  return delivered.seq
}

/** The messages before are answered. The server is killed at the first words of the next answer, and starts again. */
async function afterKill(...before: readonly string[]) {
  const first = await start()
  const { sessionId } = await first.client.createSession({ agent: 'hello' })
  for (const content of before) await answerTo(first, sessionId, content)
  const { messageId, appliedSeq } = await first.client.sendMessage(sessionId, { content: 'My name is Bob.' })
  let hasBegun = false
  await watchUntil(first, sessionId, (event) => {
    hasBegun ||= isDurable(event) && event.seq > appliedSeq
    return hasBegun && event.type === 'AgentStreamToken'
  })
  await first.kill('SIGKILL')
  const served = await start(first.dataDir)
  await expect.poll(async () => (await served.client.getSession(sessionId)).session.status).toBe('interrupted')
  return { served, sessionId, messageId }
}

it('a fork knows the first message of a session, and a fork at the message replaces it', async () => {
  const { served, sessionId, messageId } = await afterKill()
  const fork = await served.client.fork(sessionId, { message: 'What is my name?' })
  expect(await answerAfter(served, fork.sessionId, fork.appliedSeq)).toContain('Bob')
  const at = await deliveredAt(served, sessionId, messageId)
  const instead = await served.client.fork(sessionId, { at, message: 'What is my name?' })
  expect(await answerAfter(served, instead.sessionId, instead.appliedSeq)).not.toContain('Bob')
})

it('a rewind to the message after it keeps it, and a rewind to the message itself forgets it', async () => {
  const { served, sessionId, messageId } = await afterKill('Hello!')
  const next = await answerTo(served, sessionId, 'What is 2+2?')
  await served.client.rewind(sessionId, { messageId: next.messageId, files: false })
  const question = await answerTo(served, sessionId, 'What is my name?')
  expect(question.answer).toContain('Bob')
  await served.client.rewind(sessionId, { messageId, files: false })
  expect((await answerTo(served, sessionId, 'What is my name?')).answer).not.toContain('Bob')
})

it('a rewind to the first message of a session restores no files and forgets it', async () => {
  const { served, sessionId, messageId } = await afterKill()
  expect(await served.client.rewind(sessionId, { messageId })).toMatchObject({ conversation: true })
  expect((await answerTo(served, sessionId, 'What is my name?')).answer).not.toContain('Bob')
})
