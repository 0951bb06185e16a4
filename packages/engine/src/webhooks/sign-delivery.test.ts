import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { signDelivery } from './sign-delivery.ts'

it('matches the published example of Standard Webhooks', () => {
  const secret = ['whsec', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'].join('_')
  const delivery = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', atSeconds: 1614265330, body: '{"test": 2432232314}' }
  expect(signDelivery(secret, delivery)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('uses a secret without the prefix as text', () => {
  const signature = createHmac('sha256', 'sixteen letters!').update('d.1.{}').digest('base64')
  const signed = signDelivery('sixteen letters!', { id: 'd', atSeconds: 1, body: '{}' })
  expect(signed['webhook-signature']).toBe(`v1,${signature}`)
})
