import { expect, it } from 'vitest'
import { curlSample, typescriptSample } from './code-samples.ts'

const facts = { origin: 'http://127.0.0.1:4300', agentName: 'hello', sessionId: null }

it('takes the token from where the server says its files lie', () => {
  const told = { ...facts, dataFolder: '/data' }
  expect(curlSample(told)).toContain(`Bearer $(cat '/data/token')"`)
  expect(typescriptSample(told)).toContain(`token: readFileSync('/data/token', 'utf8').trim(),`)
})

it('takes it from the environment where the server does not tell', () => {
  const untold = { ...facts, dataFolder: null }
  expect(curlSample(untold)).toContain('Bearer $QUARTERDECK_TOKEN"')
  expect(typescriptSample(untold)).toContain('token: process.env.QUARTERDECK_TOKEN,')
  expect(typescriptSample(untold)).not.toContain('readFileSync')
})
