// The document in which JavaScript of a model runs: an origin of its own, no network, no storage, no say in the page.
// It is the same for everybody and tells nothing, so nobody has to sign in for it.
import { createHash } from 'node:crypto'
import type { Handler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { frameScript } from './sandbox-scripts.ts'

export const sandboxPath = '/sandbox.html'

/** Every feature a document could be given, given to nobody. What a browser does not know it leaves out. */
const features = [
  ...['accelerometer', 'ambient-light-sensor', 'attribution-reporting', 'autoplay', 'bluetooth', 'browsing-topics'],
  ...['camera', 'clipboard-read', 'clipboard-write', 'compute-pressure', 'cross-origin-isolated', 'display-capture'],
  ...['encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get'],
  ...['idle-detection', 'keyboard-map', 'local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials'],
  ...['payment', 'picture-in-picture', 'publickey-credentials-create', 'publickey-credentials-get'],
  ...['screen-wake-lock', 'serial', 'speaker-selection', 'storage-access', 'sync-xhr', 'unload', 'usb', 'web-share'],
  ...['window-management', 'xr-spatial-tracking'],
]

/** Its own headers take the place of the workbench's. */
export function sandboxPage(): Handler<AppEnv> {
  const script = frameScript()
  const hash = createHash('sha256').update(script).digest('base64')
  const document = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sandbox</title><script>${script}</script></html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      'sandbox allow-scripts',
      "default-src 'none'",
      // A worker has the policy of the document that made it: code of the model is evaluated there, and only there.
      `script-src 'sha256-${hash}' 'unsafe-eval' blob:`,
      'worker-src blob:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    'permissions-policy': features.map((feature) => `${feature}=()`).join(', '),
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-cache',
  }
  return (c) => {
    // One by one: headers handed over with a body lose against those that middlewares have set.
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    return c.body(document)
  }
}
