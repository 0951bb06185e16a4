import { expect, it } from 'vitest'
import { listedOrigins } from './serve.ts'

it('joins the origins of the command line and of CORS_ORIGINS', () => {
  const env = { CORS_ORIGINS: ' https://b.example, ,https://c.example,' }
  expect(listedOrigins(['https://a.example'], env)).toEqual([
    ...['https://a.example', 'https://b.example', 'https://c.example'],
  ])
  expect(listedOrigins(undefined, {})).toEqual([])
})
