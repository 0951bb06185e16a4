import { type MetricRegistry, metricsContentType } from '@quarterdeck/engine'
import type { Hono } from 'hono'
import { requirePermission } from '../auth/require-permission.ts'
import type { AppEnv } from '../http/app-env.ts'
import { otherAddresses } from './other-addresses.ts'

/** For Prometheus. Metrics about all owners are for keys that may see all sessions. */
export function mountMetricsRoute(app: Hono<AppEnv>, registry: MetricRegistry): void {
  const address = otherAddresses.metrics
  app.get(address.path, async (c) => {
    requirePermission(c, address)
    const isAdmin = c.get('principal').scope === 'admin'
    const text = await registry.text(isAdmin ? 'admin' : 'everybody')
    return c.body(text, 200, { 'content-type': metricsContentType, 'cache-control': 'no-store' })
  })
}
