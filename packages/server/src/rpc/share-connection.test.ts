import { expect, it } from 'vitest'
import { shareConnection } from './share-connection.ts'

/** A line that lets on only when told to. */
function openLine() {
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

it('lets answers and feeds on one after the other, in the order they came', async () => {
  const { connection, sent, close, open } = openLine()
  const shared = shareConnection(connection)
  close()
  const feed = async (name: string) => {
    let done: () => void = () => undefined
    await shared.turn(
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

it('waits for nobody who has nothing to send', async () => {
  const shared = shareConnection(openLine().connection)
  await shared.turn(new Promise(() => undefined))
  await shared.turn(new Promise(() => undefined))
  await shared.post('answer')
})
