import { expect, it } from 'vitest'
import { namesSecret } from './names-secret.ts'

it.each([
  'ANTHROPIC_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'TEAM_KEY',
  'API_KEY_2',
  'key',
  'GITHUB_TOKEN',
  'DB_PASSWORD',
  'PGPASSWD',
  'Authorization',
  'X-Auth',
  'x-functions-key',
  'Cookie',
])('%s names a secret', (name) => {
  expect(namesSecret(name)).toBe(true)
})

it.each([
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'TOKEN_LIMIT',
  'max_tokens',
  'KEYBOARD',
  'MONKEY',
  'PUBLIC_KEY',
  'sort_key',
  'author',
])('%s does not name a secret', (name) => {
  expect(namesSecret(name)).toBe(false)
})
