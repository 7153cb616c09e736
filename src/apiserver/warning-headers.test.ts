import { expect, test } from 'vitest'
import { warningHeaders } from './warning-headers.ts'

/** The text in UTF-8, one character for each byte. */
const quoted = (text: string) => `299 - ${Buffer.from(JSON.stringify(text)).toString('latin1')}`

test('writes each warning once as a header', () => {
  expect(warningHeaders(['a "b"', 'c', 'a "b"', ''])).toEqual({ warning: [quoted('a "b"'), quoted('c')] })
  expect(warningHeaders(['a\nb'])).toEqual({})
})

test('writes warnings of up to 4,096 characters in full', () => {
  const texts = ['a'.repeat(4000), '😀'.repeat(96)]
  expect(warningHeaders(texts)).toEqual({ warning: texts.map(quoted) })
})

test('truncates longer warnings to 256 characters, and ends after 4,096', () => {
  const texts = Array.from({ length: 40 }, (_, i) => `${i}${'😀'.repeat(300)}`)
  const { warning = [] } = warningHeaders(texts)
  expect(warning).toHaveLength(16)
  expect(warning[0]).toBe(quoted(`0${'😀'.repeat(255)}`))
})
