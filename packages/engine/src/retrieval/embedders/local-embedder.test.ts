import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { createLocalEmbedder, meanVector, windowsOf, withoutNetwork } from './local-embedder.ts'

const { signal } = new AbortController()
const embedder = createLocalEmbedder()
afterAll(() => embedder.close())

const likeness = (left: Float32Array | undefined, right: Float32Array | undefined): number =>
  left?.reduce((sum, value, index) => sum + value * (right?.[index] ?? 0), 0) ?? 0

describe('the local embedder', () => {
  it('places similar meanings close together, in a thread without network access', async () => {
    const [dog, puppy, invoice] = await embedder.embed(
      [
        'The dog is barking at the postman.',
        'A puppy yaps when the mail arrives.',
        'Invoices are due within three weeks.',
      ],
      signal,
    )
    expect(dog).toHaveLength(512)
    expect(likeness(dog, puppy)).toBeGreaterThan(likeness(dog, invoice) + 0.1)
  })

  it('reads a long text to its end', async () => {
    const long = Array.from({ length: 40 }, () => 'The harbour is quiet.').join(' ')
    const [one, other] = await embedder.embed([`${long} Sharks attacked.`, `${long} Bread is baked.`], signal)
    expect(likeness(one, other)).toBeLessThan(0.999)
  })

  it('answers concurrent requests separately', async () => {
    const [alone] = await embedder.embed(['seal'], signal)
    const answers = await Promise.all(['boat', 'seal', 'quay'].map((text) => embedder.embed([text], signal)))
    expect(likeness(answers[1]?.[0], alone)).toBeCloseTo(1, 4)
    expect(likeness(answers[0]?.[0], alone)).toBeLessThan(0.9)
  })

  it('accepts a text without words', async () => {
    expect(await embedder.embed(['', '   '], signal)).toHaveLength(2)
  })

  it('stops between batches when it is aborted', async () => {
    await expect(embedder.embed(['x'], AbortSignal.abort())).rejects.toThrow()
  })

  it('abandons a running batch when it is aborted', async () => {
    const silent = createLocalEmbedder(`require('node:worker_threads').parentPort.on('message', () => {})`)
    const leaving = new AbortController()
    const asked = silent.embed(['x'], leaving.signal)
    leaving.abort(new Error('left'))
    await expect(asked).rejects.toThrow('left')
    await silent.close()
  })

  it('answers from a new thread after a failure, undisturbed by the end of the old one', async () => {
    const mortal = createLocalEmbedder(`
      const { parentPort } = require('node:worker_threads')
      parentPort.on('message', ({ id, texts }) => {
        if (texts[0] === 'die') setTimeout(() => { throw new Error('it is dead') })
        else setTimeout(() => parentPort.postMessage({ id, vectors: [new Float32Array(512).fill(1)] }), 300)
      })`)
    await expect(mortal.embed(['die'], signal)).rejects.toThrow('it is dead')
    expect(await mortal.embed(['live'], signal)).toHaveLength(1)
    await mortal.close()
  })

  it('refuses requests after it is closed', async () => {
    const own = createLocalEmbedder()
    await own.close()
    await expect(own.embed(['x'], signal)).rejects.toMatchObject({ code: 'tool.unavailable' })
  })
})

describe('the thread without network access', () => {
  it.each([
    ['fetch', `fetch('http://127.0.0.1:59999').then(() => 'sent', ({ cause }) => String(cause))`],
    ['a socket', `new Promise((resolve) => require('node:net').connect(9, '127.0.0.1').on('error', resolve))`],
    ['https', `new Promise((resolve) => require('node:https').get('https://127.0.0.1:9').on('error', resolve))`],
    ['a DNS lookup', `new Promise((resolve) => require('node:dns').lookup('localhost', resolve))`],
    ['UDP', `new Promise((resolve) => require('node:dgram').createSocket('udp4').send('x', 9, '127.0.0.1', resolve))`],
  ])('refuses %s', async (_name, attempt) => {
    const code = `${withoutNetwork}
      ;(async () => { try { return String((await ${attempt})) } catch (error) { return String(error) } })()
        .then((said) => require('node:worker_threads').parentPort.postMessage(said))`
    const worker = new Worker(code, { eval: true })
    const output = await new Promise<string>((resolve, reject) => worker.once('message', resolve).once('error', reject))
    await worker.terminate()
    expect(output).toContain('no network')
  })
})

describe('windowsOf', () => {
  it('splits a long text evenly and loses no word', () => {
    const words = Array.from({ length: 150 }, (_, index) => `w${index}`)
    const windows = windowsOf(words.join(' '))
    expect(windows.map((window) => window.split(' ').length)).toEqual([50, 50, 50])
    expect(windows.join(' ')).toBe(words.join(' '))
  })
})

describe('meanVector', () => {
  it('has length one', () => {
    expect(meanVector([new Float32Array([1, 0]), new Float32Array([0, 1])])).toEqual(
      new Float32Array([Math.SQRT1_2, Math.SQRT1_2]),
    )
  })
})
