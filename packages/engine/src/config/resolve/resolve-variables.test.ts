// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { declaredSecrets } from '../credentials/credentials.ts'
import { tempProject } from '../testing/temp-project.ts'
import { isPlainValue } from './resolve-variables.ts'

const agentFile = `name: triage
model: {provider: simulator}
instructions: {inline: Sort the tickets.}
tools:
  - name: shop
    type: mcp
    command: node
    env_file: shop.env
    env: {LOGIN: '\${SHOP_LOGIN}', ADDRESS: 'https://x.test/\${SHOP_PLACE}', STAGE: '\${STAGE}', HERE: '\${HERE}', TEAM: 'blue-team-7x'}
    config: {dsn: '\${DSN}', depth: 'as-written-7x'}
  - name: lookup
    type: function
    description: Looks up.
    file: lookup.js
    function: lookup
    env: [LISTED]
`

const env = {
  SHOP_LOGIN: 'alice:s3cret-word',
  SHOP_PLACE: 'q7Zk2mWp9x',
  STAGE: 'production',
  HERE: '/usr/bin',
  DSN: 'db://u:p4ss@host/x',
  LISTED: 'l1sted-value-9',
}

it('values from outside of the file are secrets of a tool, except plain values', async () => {
  const files = {
    'agent.yaml': agentFile,
    'shop.env': 'PIN_CODE=f1le-value-8\n',
    'lookup.js': 'export const lookup = 1',
  }
  const { credentials } = await (await tempProject(files, env)).load()
  const secrets = declaredSecrets(credentials)
  for (const value of [env.SHOP_LOGIN, env.SHOP_PLACE, `https://x.test/${env.SHOP_PLACE}`, env.DSN, env.LISTED]) {
    expect(secrets).toContain(value)
  }
  expect(secrets).toContain('f1le-value-8')
  for (const value of [env.STAGE, env.HERE, 'blue-team-7x', 'as-written-7x']) expect(secrets).not.toContain(value)
  expect(secrets.some((value) => value.startsWith('{'))).toBe(false)
})

describe('isPlainValue', () => {
  it.each([
    ...['production', 'eu-west-1', 'en, fr, de', '1200', '0.25', '/etc', 'https://api.example.com/v1'],
    'http://127.0.0.1:8080/mcp-server',
  ])('accepts %s', (value) => {
    expect(isPlainValue(value)).toBe(true)
  })

  it.each([
    ...['q7Zk2mWp9x', 'alice:s3cret', '/no/such/place', 'https://me:word@example.com', 'https://example.com/?key=made'],
    ...[
      'https://hooks.example.com/services/T0A1/B2C3',
      '1234567890123456',
      '{"user": "made-up"}',
      'Basic bWFkZTp1cA==',
    ],
  ])('rejects %s', (value) => {
    expect(isPlainValue(value)).toBe(false)
  })
})
