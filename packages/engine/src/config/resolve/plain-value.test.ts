import { expect, it } from 'vitest'
import { isPlainValue } from './plain-value.ts'

it.each([
  ...['production', 'eu-west-1', 'en, fr, de', '1200', '0.25', '/etc', 'https://api.example.com/v1'],
  'http://127.0.0.1:8080/mcp-server',
])('%s is plain', (value) => {
  expect(isPlainValue(value)).toBe(true)
})

it.each([
  ...['q7Zk2mWp9x', 'alice:s3cret', '/no/such/place', 'https://me:word@example.com', 'https://example.com/?key=made'],
  ...['https://hooks.example.com/services/T0A1/B2C3', '1234567890123456', '{"user": "made-up"}', 'Basic bWFkZTp1cA=='],
])('%s is not', (value) => {
  expect(isPlainValue(value)).toBe(false)
})
