/** Passed in, so that tests control the time. */
export interface Clock {
  now(): Date
}
