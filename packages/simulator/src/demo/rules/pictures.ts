import type { Picture } from '../../replies/read-conversation.ts'
import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

/** Confirms that a picture arrived, although the simulator cannot see it. */
export const pictures: DemoRule = {
  name: 'pictures',
  reply({ pictures: sent }) {
    if (sent.length === 0) return null
    const count = sent.length === 1 ? 'a picture' : `${sent.length} pictures`
    return textReply(
      `You sent ${count} (${sent.map(spell).join('; ')}). I am the local simulator: I can not see what it shows.`,
    )
  },
}

function spell({ mediaType, bytes }: Picture): string {
  return bytes === null ? mediaType : `${mediaType}, ${bytes} bytes`
}
