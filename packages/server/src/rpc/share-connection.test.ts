import { expect, it } from 'vitest'
import { shareConnection } from './share-connection.ts'

/** A connection whose capacity is controlled by the test. */
function openConnection() {
  const sent: string[] = []
  let letOn: () => void = () => undefined
  let gate = Promise.resolve()
  return {
    sent,
    close() {
      gate = new Promise((resolve) => {
        letOn = resolve
      })
    },
    open: () => letOn(),
    connection: { send: (text: string) => sent.push(text) > 0, drained: () => gate },
  }
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 10))

it('gives answers and feeds their sending slots in order', async () => {
  const { connection, sent, close, open } = openConnection()
  const shared = shareConnection(connection)
  close()
  const feed = async (name: string) => {
    let done: () => void = () => undefined
    await shared.waitForSlot(
      new Promise((resolve) => {
        done = resolve
      }),
    )
    await rest() // reads from the log
    shared.send(name)
    done()
  }
  const all = [feed('one'), shared.post('answer'), feed('two'), feed('three')]
  await rest()
  expect(sent).toEqual([])
  open()
  await Promise.all(all)
  expect(sent).toEqual(['one', 'answer', 'two', 'three'])
})

it('does not wait for a feed that has nothing to send', async () => {
  const { connection, sent } = openConnection()
  const shared = shareConnection(connection)
  const isSilent = new Promise<void>(() => undefined)
  const slots = [shared.waitForSlot(isSilent), shared.waitForSlot(isSilent)]
  const posted = shared.post('answer')
  await rest()
  expect(sent).toEqual([])
  await expect.poll(() => sent).toEqual(['answer'])
  await Promise.all([...slots, posted])
})
