import type { Transcript } from '@quarterdeck/protocol'

/** The server went and came back in this session: whoever reads it has seen the promise kept. */
export const wasRestarted = ({ items }: Transcript): boolean =>
  items.some((item) => item.type === 'notice' && item.kind === 'recovery')
