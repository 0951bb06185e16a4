// The document in which JavaScript of a model runs: a separate origin without network, storage or access to the page.
// It is the same for every caller and contains no data, so it needs no sign-in.
import { createHash } from 'node:crypto'
import type { Handler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { frameScript } from './code-frame-scripts.ts'

/** Denies every browser feature. Browsers ignore features they do not know. */
const features = [
  ...['accelerometer', 'ambient-light-sensor', 'attribution-reporting', 'autoplay', 'bluetooth', 'browsing-topics'],
  ...['camera', 'clipboard-read', 'clipboard-write', 'compute-pressure', 'cross-origin-isolated', 'display-capture'],
  ...['encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get'],
  ...['idle-detection', 'keyboard-map', 'local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials'],
  ...['payment', 'picture-in-picture', 'publickey-credentials-create', 'publickey-credentials-get'],
  ...['screen-wake-lock', 'serial', 'speaker-selection', 'storage-access', 'sync-xhr', 'unload', 'usb', 'web-share'],
  ...['window-management', 'xr-spatial-tracking'],
]

/** Its own headers replace those of the workbench. */
export function codeFramePage(): Handler<AppEnv> {
  const script = frameScript()
  const hash = createHash('sha256').update(script).digest('base64')
  const document = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Code frame</title><script>${script}</script></html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      'sandbox allow-scripts',
      "default-src 'none'",
      // A worker inherits the policy of the document that created it: only there is code of the model evaluated.
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
    // One by one: headers passed with a body lose against those of middleware.
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    return c.body(document)
  }
}
