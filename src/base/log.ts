export type LogFields = Readonly<Record<string, unknown>>

/** A port: the log of a process. The fields come first, then one sentence. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
}

/** A logger that adds `fields` to every message; fields of the message take precedence. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (own, message) => logger.debug({ ...fields, ...own }, message),
    info: (own, message) => logger.info({ ...fields, ...own }, message),
    warn: (own, message) => logger.warn({ ...fields, ...own }, message),
    error: (own, message) => logger.error({ ...fields, ...own }, message),
  }
}
