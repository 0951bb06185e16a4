import { expect, it } from 'vitest'
import { listedOrigins } from './listed-origins.ts'

it('joins what is said on the command line and in the environment', () => {
  const env = { CORS_ORIGINS: ' https://b.example, ,https://c.example,' }
  expect(listedOrigins(['https://a.example'], env)).toEqual([
    ...['https://a.example', 'https://b.example', 'https://c.example'],
  ])
  expect(listedOrigins(undefined, {})).toEqual([])
})
