// Runs before each file; a module that it loads runs once for all files of a process, as what that changes is the process's.
import "./equal-arcs.ts";
