export interface RequestName {
  readonly sessionId: string
  readonly requestId: string
}

/**
 * `position` counts from 1 in the order in which requests will be sent; `waiting` is the number of requests for the
 * same models.
 */
export interface RateQueuePosition {
  readonly position: number
  readonly waiting: number
}

export type Waiting = RequestName & { readonly queuePosition: RateQueuePosition | null }
