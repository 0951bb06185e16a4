import { QuarterdeckError } from '@quarterdeck/protocol'

/** The error for a command that cannot run as it was typed. */
export const misuse = (message: string, options?: ErrorOptions): QuarterdeckError =>
  new QuarterdeckError('request.invalid', message, options)
