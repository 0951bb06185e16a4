import { QuarterdeckError } from '@quarterdeck/protocol'

/** For operations that start new work: throws `server.draining` while the server stops. */
export function refuseWhileDraining(isDraining: () => boolean): void {
  if (!isDraining()) return
  throw new QuarterdeckError('server.draining', 'the server is shutting down and takes no new work: try again soon')
}
