/** The version in package.json; test/tidy compares the two, so that no file must be read at run time. */
export const version = '0.1.0'
