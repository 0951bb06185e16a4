import { expect, it } from 'vitest'
import { curlSample, typescriptSample } from './code-samples.ts'

const facts = { origin: 'http://127.0.0.1:4300', agentName: 'hello', sessionId: null }

it('takes the token from where the server says its files lie', () => {
  const withDataFolder = { ...facts, dataFolder: '/data' }
  expect(curlSample(withDataFolder)).toContain(`Bearer $(cat '/data/token')"`)
  expect(typescriptSample(withDataFolder)).toContain(`token: readFileSync('/data/token', 'utf8').trim(),`)
})

it('takes it from the environment where the server does not tell', () => {
  const withoutDataFolder = { ...facts, dataFolder: null }
  expect(curlSample(withoutDataFolder)).toContain('Bearer $QUARTERDECK_TOKEN"')
  expect(typescriptSample(withoutDataFolder)).toContain('token: process.env.QUARTERDECK_TOKEN,')
  expect(typescriptSample(withoutDataFolder)).not.toContain('readFileSync')
})
