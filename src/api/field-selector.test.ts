import { describe, expect, it } from 'vitest'
import { escapeValue, parseFieldSelector } from './field-selector.ts'

function parse(text: string) {
  const parsed = parseFieldSelector(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.value
}

describe('parseFieldSelector', () => {
  it.each([
    ['', ''],
    ['spec.nodeName=a', 'spec.nodeName=a'],
    ['status.phase!=Running,metadata.name==x', 'metadata.name=x,status.phase!=Running'],
    ['a=1\\,2\\=3\\\\', 'a=1\\,2\\=3\\\\'],
    ['a=,b!=', 'a=,b!='],
    [',a=1,', 'a=1'],
  ])('writes the field selector %j as %j', (text, canonical) => {
    expect(parse(text).toString()).toBe(canonical)
  })

  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('rejects the field selector %j', (text, message) => {
    expect(parseFieldSelector(text)).toEqual({ ok: false, message })
  })

  it('treats an absent field as an empty field', () => {
    expect(parse('spec.nodeName=').matches({})).toBe(true)
    expect(parse('spec.nodeName!=').matches({})).toBe(false)
    expect(parse('spec.nodeName!=a').matches({ 'spec.nodeName': 'b' })).toBe(true)
  })

  it('returns the exact value that a field selector requires of a field', () => {
    expect([parse('a!=1,a=2').exactValue('a'), parse('a!=1').exactValue('a')]).toEqual(['2', undefined])
  })

  it('matches an escaped literal in a field selector', () => {
    const literal = 'a,b=c\\d'
    expect(parse(`x=${escapeValue(literal)}`).matches({ x: literal })).toBe(true)
  })
})
