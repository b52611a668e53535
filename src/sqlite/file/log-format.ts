// https://sqlite.org/fileformat2.html#walformat

export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;
