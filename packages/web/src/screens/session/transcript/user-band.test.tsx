import type { UserItem } from '@quarterdeck/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { UserBand } from './user-band.tsx'

function shown(images: UserItem['images']): string {
  const head = { key: 'e1', seq: 1, at: '2026-07-01T08:00:00.000Z', agent: null } as const
  const item: UserItem = { ...head, type: 'user', content: 'Hi', by: 'ana', origin: 'user', isDelivered: true, images }
  return renderToStaticMarkup(<UserBand item={item} menu={null} />)
}

it('shows each image from the data in the log, and nothing for a message without images', () => {
  const image = { mediaType: 'image/png', data: 'AAAA' } as const
  expect(shown([image, image]).match(/<img /g)).toHaveLength(2)
  expect(shown([image, image])).toContain('src="data:image/png;base64,AAAA" alt="Attachment 2 of 2"')
  expect(shown([])).not.toContain('attached-images')
})
