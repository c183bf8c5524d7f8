/** Nothing has been fetched by another job. */
export const noPrior = {
  find: () => Promise.resolve(undefined),
  unchanged: () => Promise.resolve(undefined),
};
