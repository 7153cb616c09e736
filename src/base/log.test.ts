import { describe, expect, it } from 'vitest'
import { type Logger, withFields } from './log.ts'

describe('withFields', () => {
  it('a logger with fields adds them to every message, and fields of the message take precedence', () => {
    const lines: unknown[] = []
    const push =
      (level: string): Logger['info'] =>
      (fields, message) =>
        lines.push([level, fields, message])
    const logger = withFields(
      { debug: push('debug'), info: push('info'), warn: push('warn'), error: push('error') },
      { controller: 'node-ipam', node: 'a' },
    )
    logger.info({ node: 'b' }, 'allocated')
    logger.error({}, 'failed')
    expect(lines).toEqual([
      ['info', { controller: 'node-ipam', node: 'b' }, 'allocated'],
      ['error', { controller: 'node-ipam', node: 'a' }, 'failed'],
    ])
  })
})
