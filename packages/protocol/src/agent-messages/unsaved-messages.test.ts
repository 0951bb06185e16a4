import { describe, expect, it } from 'vitest'
import { formatUnsavedMessages, parseUnsavedMessages } from './unsaved-messages.ts'

describe('unsaved messages', () => {
  it('are read back word for word, before the new message', () => {
    const messages = ['My name is Bob.\n"They are context', 'They are context for the new message:', 'and\nnow?\n']
    expect(parseUnsavedMessages(formatUnsavedMessages(messages.slice(0, -1), 'and\nnow?\n'))).toEqual(messages)
  })

  it('do not change a prompt without them', () => {
    expect(formatUnsavedMessages([], 'hi')).toBe('hi')
    expect(parseUnsavedMessages('hi\nEarlier message: "no"')).toEqual(['hi\nEarlier message: "no"'])
  })
})
