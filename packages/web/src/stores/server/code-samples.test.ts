import { expect, it } from 'vitest'
import { curlSample, typescriptSample } from './code-samples.ts'

const facts = { origin: 'http://127.0.0.1:4300', agentName: 'hello', sessionId: null }

it('reads the token from the data folder that the server reports', () => {
  const withDataFolder = { ...facts, dataFolder: '/data' }
  expect(curlSample(withDataFolder)).toContain(`Bearer $(cat '/data/token')"`)
  expect(typescriptSample(withDataFolder)).toContain(`token: readFileSync('/data/token', 'utf8').trim(),`)
})

it('reads the token from the environment when the server does not report its data folder', () => {
  const withoutDataFolder = { ...facts, dataFolder: null }
  expect(curlSample(withoutDataFolder)).toContain('Bearer $QUARTERDECK_TOKEN"')
  expect(typescriptSample(withoutDataFolder)).toContain('token: process.env.QUARTERDECK_TOKEN,')
  expect(typescriptSample(withoutDataFolder)).not.toContain('readFileSync')
})

it('starts a session, or continues one by its id, with the client as the only import', () => {
  const withoutSession = typescriptSample({ ...facts, dataFolder: null })
  expect(withoutSession).toContain(`client.createSession({ agent: 'hello'`)
  const withSession = typescriptSample({ ...facts, dataFolder: null, sessionId: 'ses_1' })
  expect(withSession).toContain(`const sessionId = 'ses_1'`)
  for (const sample of [withoutSession, withSession]) {
    expect(sample.match(/^import .*$/gm)).toEqual([`import { createClient } from '@quarterdeck/client'`])
  }
})
