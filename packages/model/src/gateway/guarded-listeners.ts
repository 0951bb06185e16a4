import type { ModelGatewayOptions } from './model-gateway.ts'

type Listening = Pick<ModelGatewayOptions, 'onBegun' | 'onWaiting' | 'onRetrying' | 'onKeyRefused' | 'logger'>

/** Catches errors of listeners, so that the request continues. */
export function guardedListeners({ onBegun, onWaiting, onRetrying, onKeyRefused, logger }: Listening) {
  const guarded =
    <Report extends readonly unknown[]>(listener: ((...report: Report) => void) | undefined) =>
    (...report: Report): void => {
      try {
        listener?.(...report)
      } catch (error) {
        logger?.warn({ error: String(error) }, 'a listener of the gateway failed')
      }
    }
  return {
    onBegun: guarded(onBegun),
    onWaiting: guarded(onWaiting),
    onRetrying: guarded(onRetrying),
    onKeyRefused: guarded(onKeyRefused),
  }
}
