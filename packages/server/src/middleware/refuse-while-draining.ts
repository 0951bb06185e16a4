import { QuarterdeckError } from '@quarterdeck/protocol'

/** For what starts new work: it is not taken while the server goes. Throws `server.draining`. */
export function refuseWhileDraining(isDraining: () => boolean): void {
  if (!isDraining()) return
  throw new QuarterdeckError('server.draining', 'the server is shutting down and takes no new work: try again soon')
}
