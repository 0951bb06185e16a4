import type { KeyRing } from '@quarterdeck/engine'
import { keyRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountKeyRoutes(mount: Mount, keys: KeyRing): void {
  mountRoute(mount, keyRoutes.list, async () => ({ keys: [...(await keys.list())] }))
  mountRoute(mount, keyRoutes.create, async ({ body, by }) => {
    const { key, token } = await keys.create(body, by)
    return { ...key, token }
  })
  mountRoute(mount, keyRoutes.revoke, async ({ params, by }) => {
    await keys.revoke(params.keyName, by)
    return { name: params.keyName }
  })
}
