"""Print, display and return scripts, in every type that a browser would run.

base: solved
earns: all
shows: <script>
"""
# %% first cell
from IPython.display import HTML, Javascript, Latex, Markdown, SVG, display

script = "<script>alert('SCR" "IPT')</script><img src=x onerror=alert('SCR" "IPT')>"
print(script)
display(HTML(script), Markdown(script), Latex(f"${script}$"), SVG(data="<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(2)</script></svg>"))
display(Javascript("alert('SCR" "IPT')"))
display({"text/html": script, "application/javascript": "alert('SCR" "IPT')", "application/vnd.jupyter.widget-view+json": "{}"}, raw=True)

class Shown:
    def _repr_html_(self): return script
    def __repr__(self): return script
Shown()
